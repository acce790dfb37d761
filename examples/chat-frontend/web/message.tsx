import { getToolName, isToolUIPart, type UIMessage } from 'ai'

/** A message with its parts in order: text, and the calls of tools with their results. */
export function Message({ message }: { readonly message: UIMessage }) {
  return (
    <li data-role={message.role}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>
        if (isToolUIPart(part))
          return (
            <details key={index}>
              <summary>
                {getToolName(part)}: {part.state === 'output-available' ? 'done' : part.state}
              </summary>
              <pre>
                {JSON.stringify({ input: part.input, output: part.output, error: part.errorText }, null, 2)}
              </pre>
            </details>
          )
        return null
      })}
    </li>
  )
}
