// without zod, so that the console can load it
import type { ToolApproval } from './agent-event.ts'
import type { StepWait } from './step-wait.ts'
import { SLEEPING, WAITING } from './wait-reasons.ts'

/** A call that waits for approval, or a form: of a tool's own request, or of a wait in its middle. */
export interface PendingCall extends ToolApproval {
  readonly wait?: Wait | undefined
}

/** What is known of every wait. */
type Wait = Pick<StepWait, 'stepId' | 'path' | 'reason' | 'data'>

/** What an answer waits for; `undefined` for nothing. Waits for a time or an event are not for people. */
export function pendingCalls({
  approvals = [],
  waits = [],
}: {
  readonly approvals?: readonly ToolApproval[] | undefined
  readonly waits?: readonly StepWait[] | undefined
}): readonly PendingCall[] | undefined {
  const forms = waits.filter(({ reason }) => isForPeople(reason)).map((wait) => pendingWait(wait))
  const all = [...approvals, ...forms]
  return all.length > 0 ? all : undefined
}

/** Whether a wait is for somebody: it does not end by itself. */
export function isForPeople(reason: string): boolean {
  return reason !== SLEEPING && reason !== WAITING
}

/** A wait as a form. `agentId`: of the answer. */
export function pendingWait(
  { path, stepId, reason, data, resumeSchema }: Wait & Pick<StepWait, 'resumeSchema'>,
  agentId = '',
): PendingCall {
  const texts = partsOf(data).filter((part) => typeof part === 'string')
  return {
    approvalId: path,
    toolCallId: callIn(path) ?? path,
    toolName: stepId,
    agentId,
    input: null,
    kind: 'elicitation',
    message: texts.length > 0 ? texts.join(', ') : reason,
    ...(resumeSchema && { schema: resumeSchema }),
    wait: { stepId, path, reason, ...(data !== undefined && { data }) },
  }
}

/** The id of the tool call in whose middle a wait is: that of the answer itself. */
function callIn(path: string): string | undefined {
  return /^answer\/tool-([^/]+)\//.exec(path)?.[1]
}

/** Whether the data of a wait has more than the texts of its message. */
export function hasMore({ data }: Wait): boolean {
  return partsOf(data).some((part) => typeof part !== 'string')
}

function partsOf(data: unknown): readonly unknown[] {
  if (data === undefined || data === null) return []
  return typeof data === 'object' ? Object.values(data) : [data]
}
