// without zod, so that the console can load it
import type { ToolApproval } from './agent-event.ts'
import type { StepWait } from './step-wait.ts'

/** A call that waits for approval, or a form: of a tool's own request, or of a wait in its middle. */
export interface PendingCall extends ToolApproval {
  /** The path of the wait. */
  readonly wait?: string
}

/** What an answer waits for; `undefined` for nothing. Waits for a time or an event are not for people. */
export function pendingCalls({
  approvals = [],
  waits = [],
}: {
  readonly approvals?: readonly ToolApproval[] | undefined
  readonly waits?: readonly StepWait[] | undefined
}): readonly PendingCall[] | undefined {
  const forms = waits.flatMap(({ path, stepId, reason, data, resumeSchema, type }): PendingCall[] =>
    type === 'andThen'
      ? [
          {
            approvalId: path,
            toolCallId: path,
            toolName: stepId,
            agentId: '',
            input: null,
            kind: 'elicitation',
            message: textOf(data) ?? reason,
            schema: resumeSchema ?? {},
            wait: path,
          },
        ]
      : [],
  )
  const all = [...approvals, ...forms]
  return all.length > 0 ? all : undefined
}

/** The text of what a tool asks. */
function textOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  const texts = Object.values(data ?? {}).filter((value) => typeof value === 'string')
  return texts.length > 0 ? texts.join(', ') : undefined
}
