import { type Conversation, deleteConversation, renameConversation } from './api.ts'

interface ConversationsProps {
  readonly conversations: readonly Conversation[]
  readonly current: string
  readonly onOpen: (id: string) => void
  readonly onNew: () => void
  /** Called after a conversation was renamed or deleted. */
  readonly onChange: () => void
}

/** The user's conversations: open, rename, delete. */
export function Conversations({ conversations, current, onOpen, onNew, onChange }: ConversationsProps) {
  const rename = async ({ id, title }: Conversation) => {
    const next = prompt('Title', title ?? '')?.trim()
    if (next === undefined || next === '') return
    await renameConversation(id, next)
    onChange()
  }
  const remove = async (id: string) => {
    await deleteConversation(id)
    if (id === current) onNew()
    onChange()
  }
  return (
    <nav aria-label="Conversations">
      <button onClick={onNew}>New conversation</button>
      <ul>
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <button aria-current={conversation.id === current} onClick={() => onOpen(conversation.id)}>
              {conversation.title ?? 'Untitled'}
            </button>
            <button onClick={() => void rename(conversation)}>Rename</button>
            <button onClick={() => void remove(conversation.id)}>Delete</button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
