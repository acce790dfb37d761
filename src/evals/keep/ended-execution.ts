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
  const { resumes, hints } = await resumesOf(detail, read)
  return {
    target: { workflow: workflowId },
    id,
    input,
    options: {
      ...(userId !== undefined && { userId }),
      ...(Object.keys(context).length > 0 && { context }),
    },
    resume: resumes.map(({ data }) => data),
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
  return `The run ${how}: it has no output to expect, and its case passes when it completes`
}

interface Resume {
  readonly stepId: string
  readonly data: unknown
}

interface Resumes {
  readonly resumes: readonly Resume[]
  readonly hints: readonly string[]
}

/**
 * The data with which the suspensions of an execution ended, in their order, with those of its child workflows, and, of
 * a replay, those of the steps that were not run again.
 */
async function resumesOf(detail: ExecutionDetail, read: ReadExecution): Promise<Resumes> {
  const { events, forkedFrom } = detail
  const started = new Set(events.flatMap(({ type, from }) => (type === 'step-start' ? from : [])))
  const origin = forkedFrom && (await read(forkedFrom.executionId))
  const before = origin && (await resumesOf(origin, read))
  const copied = before?.resumes.filter(({ stepId }) => !started.has(stepId)) ?? []
  const own = ownResumes(detail, await childResumes(detail, read))
  return { resumes: [...copied, ...own.resumes], hints: own.hints }
}

/** The resumes of child workflows, by the step that waited for them. */
async function childResumes(
  { steps }: ExecutionDetail,
  read: ReadExecution,
): Promise<ReadonlyMap<string, unknown[]>> {
  const found = new Map<string, unknown[]>()
  for (const { stepId, childExecutionId } of steps) {
    const child = childExecutionId === undefined ? undefined : await read(childExecutionId)
    if (child)
      found.set(
        stepId,
        (await resumesOf(child, read)).resumes.map(({ data }) => data),
      )
  }
  return found
}

function ownResumes({ events, steps }: ExecutionDetail, children: ReadonlyMap<string, unknown[]>): Resumes {
  const hints: string[] = []
  const stepTypes = new Map(steps.map(({ stepId, type }) => [stepId, type]))
  const resumes: Resume[] = []
  const started = new Set<string>()
  const resumed = new Set<string>()
  let suspension: RecordedEvent | undefined
  for (const event of events) {
    const { type, from } = event
    if (type === 'step-start') started.add(from)
    // the event was there before the step waited: the case has none that is
    else if (type === 'step-complete' && event['stepType'] === 'andWaitForEvent' && !resumed.has(from))
      resumes.push({ stepId: from, data: event.output })
    else if (type === 'workflow-suspended') suspension = event
    else if (type === 'workflow-resumed' && suspension) {
      const stepId = String(event['stepId'])
      // suspended by a request or a breakpoint, which the case has not
      if (!started.has(stepId)) continue
      resumed.add(stepId)
      const ofChild = children.get(stepId)
      const data = withoutIds(event['resumeData'] ?? null, suspension['data'])
      resumes.push({ stepId, data: ofChild && ofChild.length > 0 ? ofChild.shift() : data })
      if (hasTimedOut(event, suspension) && !isSleep(stepTypes.get(stepId)))
        hints.push(`The step "${stepId}" continued after its time-out: its case resumes it instead`)
    }
  }
  return { resumes, hints }
}

function hasTimedOut(resumed: RecordedEvent, { wakeAt }: RecordedEvent): boolean {
  const isDue = typeof wakeAt === 'string' && Date.parse(resumed.startTime) >= Date.parse(wakeAt)
  return isDue && (resumed['resumeData'] ?? null) === null
}

function isSleep(type: string | undefined): boolean {
  return type === 'andSleep' || type === 'andSleepUntil'
}
