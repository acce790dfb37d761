import { Link } from '../../../router/link.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Time } from '../../../ui/time/time.tsx'
import type { Conversation } from './session/conversations.ts'

export interface ConversationListProps {
  readonly agentId: string
  readonly conversations: readonly Conversation[]
  readonly chosen: string | undefined
  readonly begin: () => void
  /** Loads older conversations; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/** The conversations with an agent, the newest first. */
export function ConversationList(props: ConversationListProps) {
  const { agentId, conversations, chosen, begin, more } = props
  return (
    <nav
      aria-label="Conversations"
      className="flex min-h-0 w-60 shrink-0 flex-col border-r border-line max-lg:w-48"
    >
      <div className="flex items-center justify-between px-3 py-2">
        <h2 className="font-semibold">Conversations</h2>
        <Button size="small" onClick={begin} keys="n">
          <Icon name="plus" /> New
        </Button>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-1 pb-2" tabIndex={-1}>
        {conversations.length === 0 && <li className="px-2 text-dim">No conversations yet</li>}
        {conversations.map(({ id, title, lastAt, runs, status }) => (
          <li key={id}>
            <Link
              to={`agents/${encodeURIComponent(agentId)}?conversation=${encodeURIComponent(id)}`}
              current={id === chosen}
              title={title}
              className={`block rounded-sm px-2 py-1 hover:bg-hover ${id === chosen ? 'bg-chosen' : ''}`}
            >
              <span className="block truncate">{title}</span>
              <span className="flex items-center gap-2 text-xs text-dim">
                <Time at={lastAt} />
                <span>{runs === 1 ? '1 response' : `${runs} responses`}</span>
                {status !== 'completed' && <StatusBadge status={status} />}
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
