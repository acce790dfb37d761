import { useState } from 'react'
import { errorMessage } from '../../../api/request-failure.ts'
import { useAction } from '../../../api/use-endpoint.ts'
import { FormDialog } from '../../../ui/dialog/dialog.tsx'
import { Failure } from '../../../ui/state/error-view.tsx'
import { escapeHidden } from '../../../ui/escape-text.ts'
import type { Conversation } from './session/conversations.ts'
import { TextField } from '../../../ui/controls/text-field.tsx'

interface DialogOfConversationProps {
  readonly agentId: string
  readonly conversation: Conversation
  readonly done: () => void
  readonly close: () => void
}

function RenameDialog({ agentId, conversation, done, close }: DialogOfConversationProps) {
  const { id, userId } = conversation
  const [title, setTitle] = useState(conversation.title)
  const { mutate, isPending, error } = useAction('renameConversation')
  const onSuccess = () => {
    close()
    done()
  }
  const submit = () => {
    const params = { id: agentId, conversationId: id }
    mutate({ params, query: { userId: userId ?? undefined }, body: { title } }, { onSuccess })
  }
  return (
    <FormDialog
      title="Rename conversation"
      close={close}
      edited={title !== conversation.title}
      submit={submit}
      verb="Rename"
      disabled={isPending || title.trim() === ''}
    >
      <TextField
        label="Title"
        value={title}
        onChange={setTitle}
        error={error ? errorMessage(error) : undefined}
      />
    </FormDialog>
  )
}

/** The dialog that is open, and its conversation. */
export interface OpenDialog {
  readonly kind: 'rename' | 'delete'
  readonly conversation: Conversation
}

interface ConversationDialogProps extends OpenDialog {
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

/** Confirms that a conversation is deleted. */
function DeleteDialog({ agentId, conversation, done, close }: DialogOfConversationProps) {
  const { id, userId, title } = conversation
  const { mutate, isPending, error } = useAction('deleteConversation')
  const onSuccess = () => {
    close()
    done()
  }
  const remove = () =>
    mutate(
      { params: { id: agentId, conversationId: id }, query: { userId: userId ?? undefined } },
      { onSuccess },
    )
  return (
    <FormDialog
      title="Delete conversation"
      close={close}
      submit={remove}
      verb="Delete"
      danger
      disabled={isPending}
    >
      <p className="break-words">{escapeHidden(title)}</p>
      <p className="text-dim">
        Deletes its messages, its runs and their content in requests. This cannot be undone.
      </p>
      <Failure text={error ? errorMessage(error) : undefined} />
    </FormDialog>
  )
}
