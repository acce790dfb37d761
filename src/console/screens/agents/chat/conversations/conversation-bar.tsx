import { useState } from 'react'
import type { AgentDetail } from '../../../../../contract/endpoints/agent.ts'
import { Button } from '../../../../ui/controls/button.tsx'
import { Icon } from '../../../../ui/icon.tsx'
import type { OpenDialog } from './conversation-dialog.tsx'
import type { Conversation } from '../session/conversations.ts'
import { WorkingMemoryDialog } from './working-memory-dialog.tsx'
import { escapeHidden } from '../../../../ui/escape-hidden.ts'

export interface ConversationBarProps {
  readonly agent: AgentDetail
  /** The open conversation, once it is listed. */
  readonly conversation: Conversation | undefined
  /** The user whose working memory is shown; default: the authenticated one. */
  readonly userId: string | undefined
  readonly open: (dialog: OpenDialog) => void
}

/** The title of the open conversation, and what can be done with it. */
export function ConversationBar({ agent, conversation, userId, open }: ConversationBarProps) {
  const [showsMemory, setShowsMemory] = useState(false)
  const stored = conversation?.isStored === true ? conversation : undefined
  if (!agent.memory) return null
  const title = escapeHidden(conversation?.title ?? 'New conversation')
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1">
      <h2 className="min-w-0 flex-1 basis-32 truncate font-semibold" title={title}>
        {title}
      </h2>
      {agent.workingMemory && (
        <Button size="small" onClick={() => setShowsMemory(true)}>
          Working memory
        </Button>
      )}
      {stored && (
        <>
          <Button size="small" onClick={() => open({ kind: 'rename', conversation: stored })}>
            <Icon name="edit" /> Rename
          </Button>
          <Button size="small" kind="danger" onClick={() => open({ kind: 'delete', conversation: stored })}>
            Delete
          </Button>
        </>
      )}
      {showsMemory && (
        <WorkingMemoryDialog agentId={agent.id} userId={userId} close={() => setShowsMemory(false)} />
      )}
    </div>
  )
}
