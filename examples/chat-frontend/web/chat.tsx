import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import { useEffect, useState } from 'react'
import { AGENT, type GuideMessage, keepPending, stopAnswer, USER_ID } from './api.ts'
import { findPlace } from './find-place.ts'
import { Message } from './message.tsx'

const transport = new DefaultChatTransport<GuideMessage>({
  api: `${AGENT}/chat`,
  // The server remembers the conversation by its id, so the newest message is enough.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
    body: {
      ...body,
      id,
      trigger,
      messageId,
      messages: trigger === 'submit-message' ? messages.slice(-1) : messages,
      options: { userId: USER_ID },
    },
  }),
})

interface ChatProps {
  readonly id: string
  /** The messages that the conversation has on the server. */
  readonly stored: GuideMessage[]
  /** Called at the end of each answer. */
  readonly onAnswer: () => void
}

export function Chat({ id, stored, onAnswer }: ChatProps) {
  const chat = useChat<GuideMessage>({
    id,
    messages: stored,
    transport,
    // shows an answer that was in progress when the page was loaded
    resume: true,
    // sends approvals and outputs of client tools when the last one is there
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
      lastAssistantMessageIsCompleteWithToolCalls(state),
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      if (toolName !== 'locate') return
      // not awaited: the output is sent after this answer has ended
      void findPlace().then(
        (output) => chat.addToolOutput({ tool: 'locate', toolCallId, output }),
        (error: Error) =>
          chat.addToolOutput({ state: 'output-error', tool: 'locate', toolCallId, errorText: error.message }),
      )
    },
    onFinish: onAnswer,
  })
  const { messages, sendMessage, regenerate, stop, status, error, addToolApprovalResponse } = chat
  const [text, setText] = useState('')
  const isBusy = status === 'submitted' || status === 'streaming'
  const isWaiting = messages
    .at(-1)
    ?.parts.some((part) => isToolUIPart(part) && part.state === 'approval-requested')

  useEffect(() => {
    if (status === 'ready') keepPending(id, isWaiting ? messages : undefined)
  }, [id, isWaiting, messages, status])

  return (
    <>
      <ol aria-live="polite">
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onDecide={({ approvalId, ...decision }) =>
              void addToolApprovalResponse({
                id: approvalId,
                approved: decision.approved,
                // edited arguments are sent beside the messages, and checked by the tool's schema
                options: {
                  body: { approvals: decision.approved ? [{ approvalId, ...decision }] : undefined },
                },
              })
            }
          />
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
          if (text.trim() === '' || isBusy || isWaiting) return
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder={isWaiting ? 'Approve or deny first' : 'What is the weather in Berlin?'}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isBusy ? (
          <button
            type="button"
            onClick={() => {
              void stop()
              void stopAnswer(id)
            }}
          >
            Stop
          </button>
        ) : (
          <button disabled={isWaiting}>Send</button>
        )}
      </form>
    </>
  )
}
