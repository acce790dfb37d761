import { createDeferred } from '../../../lib/async/wake-up.ts'
import { startTimer } from '../../../lib/clock.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import { retryDelay } from '../../../step/retry.ts'
import type { RetryPolicy } from '../../../step/retry.ts'
import { Scope } from '../../../lib/async/scope.ts'
import type { StepOutcome } from '../step-task.ts'
import { StepTimeoutError } from '../errors.ts'
import { MAX_TIMER_WAIT_MS } from '../../record/execution-record.ts'
import type { DurableRecord } from '../../record/execution-record.ts'

interface AttemptOptions extends Pick<StepAttempt, 'number' | 'failures' | 'onProgress'> {
  readonly timeoutMs: number | undefined
  readonly scope: Scope
  readonly trace: TraceScope
  readonly clock: Clock
}

/** Runs one attempt until it settles, exceeds its time-out, or its scope aborts. */
export function runAttempt(
  body: (attempt: StepAttempt) => Promise<StepOutcome>,
  options: AttemptOptions,
): Promise<StepOutcome> {
  const { scope, timeoutMs, clock } = options
  if (scope.reason) return Promise.reject(scope.reason)
  const end = clock.timers?.busy()
  const outcome =
    timeoutMs === undefined
      ? scope.guard(body(new StepAttempt(scope, options)))
      : runWithin(timeoutMs, body, options)
  return end ? outcome.finally(end) : outcome
}

async function runWithin(
  timeoutMs: number,
  body: (attempt: StepAttempt) => Promise<StepOutcome>,
  options: AttemptOptions,
): Promise<StepOutcome> {
  const scope = new Scope(options.scope)
  const expire = () => scope.abort(new StepTimeoutError(timeoutMs))
  const stopTimer = startTimer(options.clock, timeoutMs, expire, { endsWork: true })
  try {
    return await scope.guard(body(new StepAttempt(scope, options)))
  } finally {
    stopTimer()
    scope.close()
  }
}

/** One attempt of a step's function. */
export class StepAttempt {
  /** 1 for the first. */
  readonly number: number
  /** How many attempts have failed since the last resume. */
  readonly failures: number
  /** The attempt's span. */
  readonly trace: TraceScope
  /** Part of the work was recorded, and is not repeated: a crash from now on does not count against the step. */
  readonly onProgress: () => void
  /** Aborts with the signal. */
  readonly scope: Scope

  constructor(scope: Scope, { number, failures, trace, onProgress }: AttemptOptions) {
    this.number = number
    this.failures = failures
    this.trace = trace
    this.onProgress = onProgress
    this.scope = scope
  }

  /** Created only for steps that use it. */
  get signal(): AbortSignal {
    return this.scope.signal
  }
}

/** Of a step that may wait. */
export interface WaitDeps {
  readonly record: DurableRecord
  readonly scope: Scope
  /** Called when a time or an event has come for which a step may wait. */
  readonly waits: Set<() => void>
}

/**
 * Waits until the retry of a step is due, but at most its delay, whatever the system clock shows, or until the run is
 * asked to stop: the delay between attempts is a step boundary. The timer does not notice that the system clock is set
 * forward; the dispatcher does.
 */
export async function waitForRetry(
  { wakeAt, failures }: Pick<StepRow, 'wakeAt' | 'failures'>,
  step: WaitDeps & { readonly retries: RetryPolicy },
): Promise<void> {
  await waitUntil(wakeAt ?? 0, step, retryDelay(step.retries, failures, 0))
}

/** Waits until a time, but at most `maxMs`, or until the run is asked to stop. */
export async function waitUntil(
  at: number,
  { record, scope, waits }: WaitDeps,
  maxMs = Infinity,
): Promise<void> {
  const end = performance.now() + maxMs
  for (;;) {
    const left = Math.min(at - record.now(), end - performance.now())
    if (left <= 0 || record.pause.reason) return
    const { promise: waiting, resolve: look } = createDeferred<void>()
    const skippable = maxMs !== Infinity || left <= MAX_TIMER_WAIT_MS
    const stopTimer = startTimer(record.clock, left, look, { skippable })
    waits.add(look)
    try {
      await untilBoundary(waiting, record, scope)
    } finally {
      waits.delete(look)
      stopTimer()
    }
  }
}

/** Waits until `work` is done or the run is asked to stop. */
export async function untilBoundary(work: Promise<void>, record: DurableRecord, scope: Scope): Promise<void> {
  try {
    await scope.guard(record.pause.guard(work))
  } catch (error) {
    if (error !== record.pause.reason) throw error
  }
}
