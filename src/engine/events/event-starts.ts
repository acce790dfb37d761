import { createHash } from 'node:crypto'
import { userKey } from '../../contract/access/user-key.ts'
import type { EventMisfit } from '../../contract/endpoints/waiting.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { withTimeLimit } from '../../lib/async/time-limit.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { NewId } from '../../lib/ids.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Job, JobResult, ScheduledJob } from '../../store/dispatcher.ts'
import type { SentEventRow } from '../../store/event-store.ts'
import { execute } from '../executions/execute.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { originOf, reportTaken } from '../executions/start-once.ts'
import type { ExecutionOrigin } from '../record/execution-events.ts'
import { startContext } from '../queue/queue-rules.ts'
import { parseInput, parseValue, SchemaMismatchError } from '../record/values.ts'
import type { EventStarter } from '../registry.ts'
import type { StartContext } from '../../workflow/limits.ts'
import { startedIdOf } from './started-id.ts'
import { mayCause, senderOf } from './senders.ts'
import type { MayStart } from './senders.ts'

/** How soon the job of an event is done, unless its sender has done it before. */
export const JOB_DELAY_MS = 5000

/** The time limit of `key` and `filter`, in milliseconds. */
const CHOICE_MS = 1000

/** What a sent event needs besides. */
export interface SendDeps extends CommandDeps {
  readonly newId: NewId
  readonly mayStart: MayStart
}

/** A job that starts an execution because of an event. */
export interface EventStart extends ScheduledJob {
  readonly job: StartJob
  /** It waits whether another event comes, which replaces it. */
  readonly isDebounced: boolean
}

export type StartJob = Extract<Job, { kind: 'begin' }> & {
  readonly event: NonNullable<Extract<Job, { kind: 'begin' }>['event']>
}

/** What a new event starts, and why not more. */
export interface EventStarts {
  readonly starts: readonly EventStart[]
  readonly misfits: readonly EventMisfit[]
}

/**
 * Decides which workflows a new event starts: before it is stored, as the functions of the workflows run. What is
 * decided is stored with the event.
 */
export async function startsOfEvent(deps: SendDeps, event: SentEventRow): Promise<EventStarts> {
  const hold = deps.hold()
  try {
    const starts = new Map<string, EventStart>()
    const misfits = new Map<string, EventMisfit>()
    for (const starter of hold.registry.startersOf(event.name)) {
      const { id } = starter.workflow.definition
      // an event starts one execution of a workflow
      if (starts.has(id)) continue
      const choice = await choose(deps, event, starter)
      if (choice === 'another event') continue
      if ('job' in choice) starts.set(id, choice)
      else misfits.set(id, { workflowId: id, reason: choice.misfit })
    }
    const left = [...misfits.values()].filter(({ workflowId }) => !starts.has(workflowId))
    return { starts: [...starts.values()], misfits: left }
  } finally {
    hold.release()
  }
}

/** The start of a workflow by an event, or why there is none. */
async function choose(
  deps: SendDeps,
  event: SentEventRow,
  { workflow, trigger, openTo }: EventStarter,
): Promise<EventStart | { readonly misfit: string } | 'another event'> {
  const { id, debounce } = workflow.definition
  const { key: wanted, filter } = trigger
  if (typeof wanted === 'string' && wanted !== event.key) return 'another event'
  if (!(await mayCause(senderOf(event), openTo, (sender) => deps.mayStart(sender, id))))
    return { misfit: 'Its sender may not start the workflow' }
  try {
    if (typeof trigger.event === 'object')
      await parseValue(JSON.parse(event.data), compileSchema(trigger.event.schema), 'data')
    const input = await parseInput(workflow, JSON.parse(event.data))
    // each function gets its own copy
    const data = () => JSON.parse(input) as unknown
    const call = <T>(body: () => T) => deps.enter(() => withTimeLimit(CHOICE_MS, body))
    if (typeof wanted === 'function') {
      const key: unknown = call(() => wanted({ data: data() }))
      if (typeof key !== 'string') throw new TypeError('the result of key must be a string')
      if (key !== event.key) return 'another event'
    }
    if (filter) {
      const isChosen: unknown = call(() => filter({ data: data(), key: event.key ?? undefined }))
      if (typeof isChosen !== 'boolean') throw new TypeError('the result of filter must be true or false')
      if (!isChosen) return 'another event'
    }
    if (!debounce) return startOf(id, event)
    const chooseKey = debounce.key as ((execution: StartContext<unknown>) => unknown) | undefined
    const userId = senderOf(event)?.user?.id ?? null
    const key = chooseKey && call(() => chooseKey(startContext({ input, userId, context: '{}' })))
    if (chooseKey && typeof key !== 'string')
      throw new TypeError('the result of debounce.key must be a string')
    return debounced(startOf(id, event), { event, key, perMs: parseDuration(debounce.per) ?? 0 })
  } catch (error) {
    return { misfit: reportMisfit(deps, { workflowId: id, eventId: event.id, error }) }
  }
}

function reportMisfit(
  { logger, meter }: Pick<CommandDeps, 'logger' | 'meter'>,
  {
    workflowId,
    eventId,
    error,
  }: { readonly workflowId: string; readonly eventId: string; readonly error: unknown },
): string {
  meter.eventMisfit(workflowId)
  const reason = messageOf(error)
  // a stack only for errors of the project's functions
  const err = error instanceof AppError || error instanceof SchemaMismatchError ? undefined : error
  logger.warn({ workflowId, eventId, err }, `An event did not start its workflow: ${reason}`)
  return reason
}

function startOf(workflowId: string, { id, data, sender, at }: SentEventRow): EventStart {
  const executionId = startedIdOf(workflowId, id)
  return {
    key: `begin:${executionId}`,
    job: { kind: 'begin', workflowId, executionId, input: data, event: { id, sender } },
    at: at + JOB_DELAY_MS,
    isDebounced: false,
  }
}

interface Quiet {
  readonly event: SentEventRow
  readonly key: unknown
  readonly perMs: number
}

/** A start after a quiet time: the job of a later event with its key replaces it. Nobody replaces that of another user. */
function debounced(start: EventStart, { event, key, perMs }: Quiet): EventStart {
  const user = senderOf(event)?.user
  const group = JSON.stringify([user ? userKey(user) : null, key ?? null])
  const digest = createHash('sha256').update(group).digest('base64url')
  return {
    ...start,
    key: `debounce:${start.job.workflowId}:${digest}`,
    at: event.at + perMs,
    isDebounced: true,
  }
}

/** Starts the executions of an event that was stored now. Returns the ids of those that have started. */
export async function startAll(
  deps: CommandDeps,
  starts: readonly EventStart[],
  trace: TraceScope | undefined,
): Promise<string[]> {
  const started = await Promise.all(
    starts.map(async ({ key, job, isDebounced }) => {
      if (isDebounced) return []
      try {
        if ((await startByEvent(deps, job, trace)) === 'later') return []
        await deps.store.dispatcher.change({ drop: [key] })
        return job.executionId
      } catch (err) {
        const { workflowId, event } = job
        deps.logger.warn(
          { err, workflowId, eventId: event.id },
          'An event could not start its workflow; this is tried again',
        )
        return []
      }
    }),
  )
  return started.flat()
}

/** Starts the execution of an event, unless it has started. It belongs to the user who sent the event. */
export async function startByEvent(
  deps: CommandDeps,
  { workflowId, executionId, input, event }: StartJob,
  trace?: TraceScope,
): Promise<JobResult> {
  const origin: ExecutionOrigin = `event:${event.id}`
  const sender = senderOf(event)
  try {
    const options = { executionId, origin, user: sender?.user, takes: event.id, trace }
    const { stored } = await execute(deps, workflowId, { input: JSON.parse(input), options })
    await stored()
    return 'done'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    switch (error.code) {
      case 'conflict':
        await deps.runs.get(executionId)?.started()
        if ((await originOf(deps.store.executions, executionId)) !== origin)
          reportTaken(deps, { workflowId, executionId })
        return 'done'
      case 'invalid_input':
        // the workflow has changed since the event was stored
        reportMisfit(deps, { workflowId, eventId: event.id, error })
        return 'done'
      case 'too_many_requests':
        return 'later'
      default:
        throw error
    }
  }
}

/** Of a stored event. */
export function misfitsOf({ misfits }: Pick<SentEventRow, 'misfits'>): EventMisfit[] {
  return misfits === null ? [] : (JSON.parse(misfits) as EventMisfit[])
}
