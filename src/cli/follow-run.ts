import type { Client } from '../client/create-client.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'
import { AppError } from '../lib/errors.ts'
import { ProgressLine } from './print/progress-line.ts'
import type { Terminal } from './print/terminal.ts'

export interface FollowRunOptions {
  /** What the progress line calls it. */
  readonly name: string
  readonly terminal: Terminal
  /** Rejects when there is nothing to wait for any more. */
  readonly givenUp: Promise<never>
}

/** Waits until an execution rests, with the step that runs shown meanwhile. */
export async function followRun(
  events: AsyncIterable<ExecutionEvent>,
  { name, terminal, givenUp }: FollowRunOptions,
): Promise<ExecutionResult> {
  const progress = new ProgressLine(terminal)
  try {
    return await Promise.race([
      restIn(events, (step) => progress.show(step ? `${name} › ${step}` : name)),
      givenUp,
    ])
  } finally {
    progress.stop()
  }
}

async function restIn(
  events: AsyncIterable<ExecutionEvent>,
  onStep: (step?: string) => void,
): Promise<ExecutionResult> {
  onStep()
  for await (const event of connected(events)) {
    if (event.type === 'step-start') onStep(event.from)
    if (event.type === 'workflow-result') return resultIn(event)
  }
  throw lost()
}

/** The events of a connection; where it breaks, the error says so. */
export async function* connected<E>(events: AsyncIterable<E>): AsyncGenerator<E> {
  try {
    yield* events
  } catch (error) {
    // how fetch says that a body ended early
    throw error instanceof TypeError ? lost(error) : error
  }
}

/** The execution result in a `workflow-result` event. */
export function resultIn(event: Extract<ExecutionEvent, { type: 'workflow-result' }>): ExecutionResult {
  const { executionId, startAt, endAt, status, result, suspension, error } = event
  const rest = { ...(suspension && { suspension }), ...(error && { error }) }
  return { executionId, startAt, endAt, status, result, ...rest }
}

/** Says at an interruption what becomes of the execution. */
export function interruptNote(
  executionId: string,
  { url, terminal }: { url: string | undefined; terminal: Terminal },
): () => void {
  return () => {
    const fate =
      url === undefined
        ? 'It stops after its current step and goes on when a server of the project starts (Ctrl-C again to stop now).'
        : `It goes on at ${url}.`
    terminal.note(`\nInterrupted execution ${executionId}. ${fate}`)
  }
}

/** The sequence number of an execution's newest event. */
export async function newestEvent(
  client: Client,
  params: { id: string; executionId: string },
): Promise<string> {
  const { events } = await client.getExecution({ params })
  return events.at(-1)?.id ?? '0'
}

function lost(cause?: unknown): AppError {
  return new AppError('unreachable', 'The server ended the connection before the execution came to rest', {
    cause,
    hint: 'The execution goes on when the server is back; `agentserver list executions` shows it.',
  })
}
