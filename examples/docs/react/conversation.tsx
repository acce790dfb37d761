import { useConversation } from 'agentserver/react'

export function Conversation({ id }: { id: string }) {
  const { messages, status, error, send, stop } = useConversation({
    agentId: 'clerk',
    conversationId: id,
  })
  return (
    <>
      {messages.map((message) => (
        <p key={message.id}>
          {message.role}: {message.parts.map(({ type, text }) => (type === 'text' ? String(text) : ''))}
        </p>
      ))}
      {error && <p>{error.message}</p>}
      <button onClick={() => void send('Where is order 17?')} disabled={status !== 'ready'}>
        Ask
      </button>
      {status === 'answering' && <button onClick={stop}>Stop</button>}
    </>
  )
}
