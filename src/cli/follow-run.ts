import type { ApiClient } from '../client/api.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'
import { AppError } from '../lib/errors.ts'
import { ProgressLine } from './print/progress-line.ts'
import type { Lifetime } from './lifetime.ts'
import type { Terminal } from './print/terminal.ts'

export interface FollowRunOptions {
  /** The workflow's name in the progress line. */
  readonly name: string
  readonly terminal: Terminal
  readonly lifetime: Lifetime
  /** Rejects to stop waiting before the command ends. */
  readonly aborted?: Promise<never>
}

/** Waits until an execution ends or suspends, and shows the running step in a progress line. */
export async function followRun(
  events: AsyncIterable<ExecutionEvent>,
  { name, terminal, lifetime, aborted = lifetime.ended }: FollowRunOptions,
): Promise<ExecutionResult> {
  const progress = new ProgressLine(terminal)
  const onStep = (event: StepStarted) => {
    progress.show(`${name} › ${event.from}`)
    lifetime.waitsFor = placeOf(name, event)
  }
  progress.show(name)
  try {
    return await Promise.race([resultOf(events, onStep), aborted, lifetime.ended])
  } finally {
    progress.stop()
  }
}

type StepStarted = Extract<ExecutionEvent, { type: 'step-start' }>

/** The name of a step that has started, at the start of a message. */
export function placeOf(workflowId: string, { from, executionId }: StepStarted): string {
  return `Step "${from}" of workflow "${workflowId}" (execution ${executionId})`
}

async function resultOf(
  events: AsyncIterable<ExecutionEvent>,
  onStep: (event: StepStarted) => void,
): Promise<ExecutionResult> {
  for await (const event of withConnectionErrors(events)) {
    if (event.type === 'step-start') onStep(event)
    if (event.type === 'workflow-result') return executionResult(event)
  }
  throw connectionLost()
}

/** The events of a stream. A lost connection is reported as an AppError. */
export async function* withConnectionErrors<E>(events: AsyncIterable<E>): AsyncGenerator<E> {
  try {
    yield* events
  } catch (error) {
    // fetch throws a TypeError if the response body ends early
    throw error instanceof TypeError ? connectionLost(error) : error
  }
}

/** The execution result in a `workflow-result` event. */
export function executionResult(
  event: Extract<ExecutionEvent, { type: 'workflow-result' }>,
): ExecutionResult {
  const { executionId, startAt, endAt, status, result, suspension, error } = event
  const optional = { ...(suspension && { suspension }), ...(error && { error }) }
  return { executionId, startAt, endAt, status, result, ...optional }
}

/** Prints, on interruption, what happens to the execution. */
export function interruptNote(
  executionId: string,
  { url, terminal }: { url: string | undefined; terminal: Terminal },
): () => void {
  return () => {
    const next =
      url === undefined
        ? 'It resumes when a server of the project starts. The signal of a running step is aborted; press Ctrl-C again to stop without waiting for it.'
        : `It continues on ${url}.`
    terminal.note(`\nInterrupted execution ${executionId}. ${next}`)
  }
}

/** The id of an execution's last event; `0` if it has none. */
export async function newestEventId(
  client: ApiClient,
  params: { id: string; executionId: string },
): Promise<string> {
  const { events } = await client.getExecution({ params })
  return events.at(-1)?.id ?? '0'
}

/** The error for a stream of events that ended before the execution. */
export function connectionLost(cause?: unknown): AppError {
  return new AppError('unreachable', 'The connection to the server was lost before the execution ended', {
    cause,
    hint: 'The execution continues on the server. Run `agentserver list executions` to see its status.',
  })
}
