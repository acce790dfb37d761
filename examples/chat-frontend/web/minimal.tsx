import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'

const transport = new DefaultChatTransport({ api: '/agents/guide/chat' })

export function MinimalChat() {
  const { messages, sendMessage, status } = useChat({ transport })
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <p key={id}>
          {role}: {parts.map((part) => (part.type === 'text' ? part.text : null))}
        </p>
      ))}
      <form action={(form: FormData) => void sendMessage({ text: form.get('text') as string })}>
        <input name="text" required disabled={status === 'submitted' || status === 'streaming'} />
      </form>
    </>
  )
}
