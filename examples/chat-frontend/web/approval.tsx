import { useState } from 'react'

export interface Decision {
  readonly approvalId: string
  readonly approved: boolean
  /** The arguments of the tool, as they were edited. */
  readonly input?: unknown
}

interface ApprovalProps {
  readonly approvalId: string
  readonly toolName: string
  readonly input: unknown
  readonly onDecide: (decision: Decision) => void
}

/** A tool call that waits for the user, who can edit its arguments. */
export function Approval({ approvalId, toolName, input, onDecide }: ApprovalProps) {
  const [text, setText] = useState(JSON.stringify(input, null, 2))
  const [error, setError] = useState<string>()
  const approve = () => {
    try {
      onDecide({ approvalId, approved: true, input: JSON.parse(text) as unknown })
    } catch (reason) {
      setError(String(reason))
    }
  }
  return (
    <fieldset>
      <legend>Allow {toolName}?</legend>
      <textarea
        aria-label="Arguments"
        rows={5}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error !== undefined && <p role="alert">{error}</p>}
      <button onClick={approve}>Approve</button>
      <button onClick={() => onDecide({ approvalId, approved: false })}>Deny</button>
    </fieldset>
  )
}
