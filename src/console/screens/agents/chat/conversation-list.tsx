import { Link } from '../../../router/link.tsx'
import { FilterText } from '../../../filters/filter-bar.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { errorMessage } from '../../../api/request-failure.ts'
import type { Conversation } from './session/conversations.ts'
import { keyOf } from './session/conversations.ts'

export interface ConversationListProps {
  readonly agentId: string
  readonly conversations: readonly Conversation[]
  readonly chosen: Conversation | undefined
  readonly error: Error | null
  readonly search: string
  readonly setSearch: (search: string) => void
  readonly begin: () => void
  /** Loads older conversations; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/** The conversations with an agent, the newest first. */
export function ConversationList(props: ConversationListProps) {
  const { agentId, conversations, chosen, error, search, setSearch, begin, more } = props
  return (
    <nav
      aria-label="Conversations"
      className="flex min-h-0 w-60 shrink-0 flex-col border-r border-line max-lg:w-48 max-sm:max-h-48 max-sm:w-full max-sm:border-r-0 max-sm:border-b"
    >
      <div className="flex items-center justify-between px-3 py-2">
        <h2 className="font-semibold">Conversations</h2>
        <Button size="small" onClick={begin} keys="n">
          <Icon name="plus" /> New
        </Button>
      </div>
      <search aria-label="Conversations" className="px-3 pb-2">
        <FilterText label="Search conversations" value={search} onChange={setSearch} first />
      </search>
      {error && (
        <p role="alert" className="break-words px-3 pb-2 text-sm text-error">
          {errorMessage(error)}
        </p>
      )}
      <p role="status" className="sr-only">
        {search !== '' && `${conversations.length} found`}
      </p>
      <ul className="min-h-0 flex-1 overflow-y-auto px-1 pb-2" tabIndex={-1}>
        {conversations.length === 0 && (
          <li className="px-2 text-dim">
            {search === '' ? 'No conversations yet' : 'No conversations match'}
          </li>
        )}
        {conversations.map((one) => (
          <li key={keyOf(one)}>
            <Link
              to={`agents/${encodeURIComponent(agentId)}?${addressOf(one)}`}
              current={one === chosen}
              title={one.title}
              className={`block rounded-sm px-2 py-1 hover:bg-hover ${one === chosen ? 'bg-chosen' : ''}`}
            >
              <span className="block truncate">{one.title}</span>
              <span className="flex items-center gap-2 text-xs text-dim">
                <Time at={one.lastAt} />
                <span>{one.size}</span>
                {one.status !== 'completed' && <StatusBadge status={one.status} />}
              </span>
            </Link>
          </li>
        ))}
        {more && (
          <li className="px-2 pt-1">
            <Button size="small" onClick={more}>
              Load older
            </Button>
          </li>
        )}
      </ul>
    </nav>
  )
}

function addressOf({ id, userId }: Conversation): string {
  return new URLSearchParams({ conversation: id, ...(userId !== null && { user: userId }) }).toString()
}
