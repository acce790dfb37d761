import { getToolName, isToolUIPart } from 'ai'
import type { AnswerMetadata, GuideMessage } from './api.ts'
import { Approval, type Decision } from './approval.tsx'

interface MessageProps {
  readonly message: GuideMessage
  readonly onDecide: (decision: Decision) => void
}

/** A message with its parts in order: text, tool calls with their results, and calls that wait for approval. */
export function Message({ message, onDecide }: MessageProps) {
  return (
    <li data-role={message.role}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>
        if (!isToolUIPart(part)) return null
        const toolName = getToolName(part)
        if (part.state === 'approval-requested')
          return (
            <Approval
              key={index}
              approvalId={part.approval.id}
              toolName={toolName}
              input={part.input}
              onDecide={onDecide}
            />
          )
        return (
          <details key={index}>
            <summary>
              {toolName}: {part.state === 'output-available' ? 'done' : part.state}
            </summary>
            <pre>
              {JSON.stringify({ input: part.input, output: part.output, error: part.errorText }, null, 2)}
            </pre>
          </details>
        )
      })}
      {message.metadata && <Footer metadata={message.metadata} />}
    </li>
  )
}

/** The notice of a guardrail, and what the answer cost. */
function Footer({ metadata: { finishReason, reason, usage } }: { readonly metadata: AnswerMetadata }) {
  return (
    <footer>
      {finishReason === 'guardrail' && <p role="note">Not answered: {reason}</p>}
      {usage && (
        <small>
          {usage.totalTokens} tokens,{' '}
          {usage.costUsd === null ? 'price unknown' : `$${usage.costUsd.toFixed(4)}`}
        </small>
      )}
    </footer>
  )
}
