import { useId } from 'react'
import { Link } from '../../../router/link.tsx'
import { FilterText } from '../../../filters/filter-bar.tsx'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import type { OpenDialog } from './conversation-dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useEnteringRows } from '../../../ui/table/use-entering-rows.ts'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { errorMessage } from '../../../api/request-failure.ts'
import type { Conversation } from './session/conversations.ts'
import { keyOf } from './session/conversations.ts'
import { escapeHidden } from '../../../ui/escape-text.ts'

export interface ConversationListProps {
  readonly agentId: string
  readonly conversations: readonly Conversation[]
  readonly chosen: Conversation | undefined
  readonly error: Error | null
  readonly search: string
  readonly setSearch: (search: string) => void
  readonly begin: () => void
  /** Opens the dialog that renames or deletes a conversation. */
  readonly open: (dialog: OpenDialog) => void
  /** Loads older conversations; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/** The conversations with an agent, the newest first. */
export function ConversationList(props: ConversationListProps) {
  const { agentId, conversations, chosen, error, search, setSearch, begin, open, more } = props
  const id = useId()
  const keyAt = (index: number) => {
    const one = conversations[index]
    return one && keyOf(one)
  }
  useEnteringRows({ prefix: id, count: conversations.length, keyAt })
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
      <search aria-label="Conversations" className="px-3 pb-2 [&>input]:max-w-none">
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
        {conversations.map((one, index) => (
          <Row
            key={keyOf(one)}
            id={`${id}-${index}`}
            conversation={one}
            agentId={agentId}
            isChosen={chosen !== undefined && keyOf(one) === keyOf(chosen)}
            open={open}
          />
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

interface RowProps extends Pick<ConversationListProps, 'agentId' | 'open'> {
  readonly id: string
  readonly conversation: Conversation
  readonly isChosen: boolean
}

function Row({ id, conversation, agentId, isChosen, open }: RowProps) {
  const { lastAt, size, status, isStored } = conversation
  const title = escapeHidden(conversation.title)
  return (
    <li id={id} className={`group/row relative rounded-sm hover:bg-hover ${isChosen ? 'bg-chosen' : ''}`}>
      <Link
        to={`agents/${encodeURIComponent(agentId)}?${addressOf(conversation)}`}
        current={isChosen}
        title={title}
        className="block rounded-sm px-2 py-1"
      >
        <span
          className={`block truncate ${isStored ? 'group-focus-within/row:pr-13 group-hover/row:pr-13 pointer-coarse:pr-13' : ''}`}
        >
          {title}
        </span>
        <span className="flex items-center gap-2 text-sm text-dim">
          <Time at={lastAt} />
          <span className="truncate">{size}</span>
          {status !== 'completed' && <StatusBadge status={status} />}
        </span>
      </Link>
      {isStored && (
        <span className="absolute right-1 top-0.5 flex opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:opacity-100">
          <IconButton label={`Rename ${title}`} onClick={() => open({ kind: 'rename', conversation })}>
            <Icon name="edit" />
          </IconButton>
          <IconButton label={`Delete ${title}`} onClick={() => open({ kind: 'delete', conversation })}>
            <Icon name="close" />
          </IconButton>
        </span>
      )}
    </li>
  )
}

function addressOf({ id, userId }: Conversation): string {
  return new URLSearchParams({ conversation: id, ...(userId !== null && { user: userId }) }).toString()
}
