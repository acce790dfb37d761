import { useState } from 'react'
import { useAction } from '../../../api/use-endpoint.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { CancelButton } from '../../../ui/dialog/cancel-button.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import type { Conversation } from './session/conversations.ts'

export interface DialogOfConversationProps {
  readonly agentId: string
  readonly conversation: Conversation
  readonly done: () => void
  readonly close: () => void
}

export function RenameDialog({ agentId, conversation, done, close }: DialogOfConversationProps) {
  const { id, userId } = conversation
  const [title, setTitle] = useState(conversation.title)
  const { mutate, isPending, error } = useAction('renameConversation')
  const onSuccess = () => {
    close()
    done()
  }
  return (
    <Dialog title="Rename conversation" close={close} edited={title !== conversation.title}>
      <form
        className="flex w-96 max-w-full flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          const params = { id: agentId, conversationId: id }
          mutate({ params, query: { userId: userId ?? undefined }, body: { title } }, { onSuccess })
        }}
      >
        <TextField
          label="Title"
          value={title}
          onChange={setTitle}
          error={error ? errorMessage(error) : undefined}
        />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button type="submit" kind="primary" disabled={isPending || title.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
