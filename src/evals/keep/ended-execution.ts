import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { RecordedEvent } from '../../contract/event.ts'
import { isFinal } from '../../contract/is-final.ts'
import { AppError } from '../../lib/errors.ts'
import type { EndedRun } from './case-of-run.ts'
import { withoutIds } from './response-ids.ts'

/** Reads an execution; `undefined` when it does not exist any more. */
export type ReadExecution = (executionId: string) => Promise<ExecutionDetail | undefined>

/**
 * What the case of an execution needs. `read` is called for the executions of its child workflows.
 *
 * @throws AppError `conflict` when it has not ended.
 */
export async function endedExecution(detail: ExecutionDetail, read: ReadExecution): Promise<EndedRun> {
  const { id, workflowId, status, input, output, createdAt, endedAt, userId, context, forkedFrom } = detail
  if (!isFinal(status))
    throw new AppError(
      'conflict',
      `Execution ${id} has not ended, and can't be kept as a case: its status is ${status}`,
    )
  const { resume, hints } = await resumesOf(detail, read)
  return {
    target: { workflow: workflowId },
    id,
    input,
    options: {
      ...(userId !== undefined && { userId }),
      ...(Object.keys(context).length > 0 && { context }),
    },
    resume,
    ...(status === 'completed' && { output: output ?? null }),
    from: { executionId: id, at: createdAt },
    startedAt: Date.parse(createdAt),
    endedAt: Date.parse(endedAt ?? createdAt),
    hints: [
      ...(status === 'completed' ? [] : [noOutput(status === 'error' ? 'failed' : 'was cancelled')]),
      ...(forkedFrom
        ? [`The execution is a replay from the step "${forkedFrom.stepId}": its case runs all steps`]
        : []),
      ...hints,
    ],
  }
}

/** The hint for a run that has no output to expect. */
export function noOutput(how: string): string {
  return `The run ${how}: it has no output to expect`
}

interface Resumes {
  readonly resume: readonly unknown[]
  readonly hints: readonly string[]
}

/** The data with which the suspensions of an execution ended, in their order, with those of its child workflows. */
async function resumesOf(detail: ExecutionDetail, read: ReadExecution): Promise<Resumes> {
  const children = new Map<string, unknown[]>()
  const hints: string[] = []
  for (const { stepId, childExecutionId } of detail.steps) {
    const child = childExecutionId === undefined ? undefined : await read(childExecutionId)
    if (!child) continue
    const found = await resumesOf(child, read)
    children.set(stepId, [...found.resume])
    hints.push(...found.hints)
  }
  const stepTypes = new Map(detail.steps.map(({ stepId, type }) => [stepId, type]))
  const resume: unknown[] = []
  const started = new Set<string>()
  const resumed = new Set<string>()
  let suspension: RecordedEvent | undefined
  for (const event of detail.events) {
    const { type, from } = event
    if (type === 'step-start') started.add(from)
    // the event was there before the step waited: the case has none that is
    else if (type === 'step-complete' && event['stepType'] === 'andWaitForEvent' && !resumed.has(from))
      resume.push(event.output)
    else if (type === 'workflow-suspended') suspension = event
    else if (type === 'workflow-resumed' && suspension) {
      const stepId = String(event['stepId'])
      // suspended by a request or a breakpoint, which the case has not
      if (!started.has(stepId)) continue
      resumed.add(stepId)
      const ofChild = children.get(stepId)
      if (ofChild && ofChild.length > 0) resume.push(ofChild.shift())
      else resume.push(withoutIds(event['resumeData'] ?? null, suspension['data']))
      if (hasTimedOut(event, suspension) && !isSleep(stepTypes.get(stepId)))
        hints.push(`The step "${stepId}" continued after its time-out: its case resumes it instead`)
    }
  }
  return { resume, hints }
}

function hasTimedOut(resumed: RecordedEvent, { wakeAt }: RecordedEvent): boolean {
  const isDue = typeof wakeAt === 'string' && Date.parse(resumed.startTime) >= Date.parse(wakeAt)
  return isDue && (resumed['resumeData'] ?? null) === null
}

function isSleep(type: string | undefined): boolean {
  return type === 'andSleep' || type === 'andSleepUntil'
}
