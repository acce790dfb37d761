import type { Conversation } from '../session/conversations.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'

/** The dialog that is open, and its conversation. */
export interface OpenDialog {
  readonly kind: 'rename' | 'delete'
  readonly conversation: Conversation
}

export interface ConversationDialogProps extends OpenDialog {
  readonly agentId: string
  readonly renamed: () => void
  readonly deleted: (conversation: Conversation) => void
  readonly close: () => void
}

/** Renames or deletes a conversation. */
export function ConversationDialog({
  kind,
  conversation,
  renamed,
  deleted,
  ...rest
}: ConversationDialogProps) {
  if (kind === 'rename') return <RenameDialog {...rest} conversation={conversation} done={renamed} />
  return <DeleteDialog {...rest} conversation={conversation} done={() => deleted(conversation)} />
}
