import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import { useState } from 'react'
import { Message } from './message.tsx'

/** Where the server is, when the page is not served from the same origin. */
const SERVER = import.meta.env['VITE_AGENTSERVER_URL'] ?? ''

const transport = new DefaultChatTransport({
  api: `${SERVER}/agents/guide/chat`,
  // The server remembers the conversation by its id, so the newest message is enough.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    body: { id, trigger, messageId, messages: trigger === 'submit-message' ? messages.slice(-1) : messages },
  }),
})

export function Chat() {
  const { messages, sendMessage, regenerate, stop, status, error } = useChat({ transport })
  const [text, setText] = useState('')
  const isBusy = status === 'submitted' || status === 'streaming'

  return (
    <main>
      <h1>Plan a day out</h1>
      <ol aria-live="polite">
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ol>
      {error && (
        <p role="alert">
          {error.message} <button onClick={() => void regenerate()}>Retry</button>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === '' || isBusy) return
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="What is the weather in Berlin?"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isBusy ? (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </main>
  )
}
