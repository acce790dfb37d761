import { useState } from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { Conversation } from './session/conversations.ts'
import { WorkingMemoryDialog } from './working-memory-dialog.tsx'

export interface ConversationBarProps {
  readonly agent: AgentDetail
  /** The open conversation, once it is listed. */
  readonly conversation: Conversation | undefined
  /** The user whose working memory is shown; default: the authenticated one. */
  readonly userId: string | undefined
  readonly renamed: () => void
  readonly deleted: () => void
}

/** The title of the open conversation, and what can be done with it. */
export function ConversationBar({ agent, conversation, userId, renamed, deleted }: ConversationBarProps) {
  const [open, setOpen] = useState<'rename' | 'delete' | 'memory'>()
  const stored = conversation?.isStored === true ? conversation : undefined
  if (!agent.memory) return null
  const title = conversation?.title ?? 'New conversation'
  const close = () => setOpen(undefined)
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1">
      <h2 className="min-w-0 flex-1 basis-32 truncate font-semibold" title={title}>
        {title}
      </h2>
      {agent.workingMemory && (
        <Button size="small" onClick={() => setOpen('memory')}>
          Working memory
        </Button>
      )}
      {stored && (
        <>
          <Button size="small" onClick={() => setOpen('rename')}>
            <Icon name="edit" /> Rename
          </Button>
          <Button size="small" kind="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </>
      )}
      {stored && open === 'rename' && (
        <RenameDialog agentId={agent.id} conversation={stored} done={renamed} close={close} />
      )}
      {stored && open === 'delete' && (
        <DeleteDialog agentId={agent.id} conversation={stored} done={deleted} close={close} />
      )}
      {open === 'memory' && <WorkingMemoryDialog agentId={agent.id} userId={userId} close={close} />}
    </div>
  )
}
