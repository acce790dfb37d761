import { SLEEPING } from '../../../contract/wait-reasons.ts'
import { Scope } from '../../../lib/async/scope.ts'
import { stepStarted } from '../../record/execution-events.ts'
import { startedRow } from '../../record/step-rows.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import type { StepTask } from '../step-task.ts'
import { RunAborted, SuspendSignal } from '../errors.ts'
import { MAX_TIMER_WAIT_MS } from '../../record/execution-record.ts'
import { waitUntil } from './attempt.ts'
import type { WaitDeps } from './attempt.ts'
import type { RunActivity } from './run-activity.ts'

interface Sleeper extends StepTask, WaitDeps {
  readonly activity: RunActivity
  checkpoint(): void
  guard<T>(body: () => Promise<T>): Promise<T>
  complete(row: StepRow, output: string): string
  fail(row: StepRow, error: unknown): never
}

/**
 * Waits until a time that `timeOf` chooses once: for a few seconds in this process; longer, the execution is suspended
 * as soon as none of its branches does anything else, and wakes by a job. A resume wakes it early. The result is the
 * input.
 */
export async function runSleep(sleeper: Sleeper, timeOf: (now: number) => Promise<number>): Promise<string> {
  const { record } = sleeper
  const before = record.steps.get(sleeper.path)
  if (before?.status === 'completed') return sleeper.input
  sleeper.checkpoint()
  const isWoken = before !== undefined && before.resumes > 0
  const row = isWoken || before?.wakeAt ? before : await chooseTime(sleeper, timeOf)
  if (!isWoken) await waitAsleep(sleeper, row)
  return sleeper.complete({ ...row, status: 'running', attempts: 1 }, sleeper.input)
}

async function chooseTime(sleeper: Sleeper, timeOf: (now: number) => Promise<number>): Promise<StepRow> {
  const { record } = sleeper
  const row = startedRow(sleeper, record.now(), record.steps.get(sleeper.path))
  record.stage({ step: row, events: [stepStarted(sleeper, row.attempts)] })
  try {
    const wakeAt = await sleeper.guard(() => timeOf(row.startedAt))
    const waiting = { ...row, wakeAt }
    record.stage({ step: waiting })
    return waiting
  } catch (error) {
    return sleeper.fail(row, error)
  }
}

async function waitAsleep(sleeper: Sleeper, row: StepRow): Promise<void> {
  const { record, activity } = sleeper
  const wakeAt = row.wakeAt ?? 0
  const scope = new Scope(sleeper.scope)
  const waiting = waitUntil(wakeAt, { record, scope, waits: sleeper.waits })
  try {
    const isLong = wakeAt - record.now() > MAX_TIMER_WAIT_MS
    if (isLong && (await activity.wait(waiting)) === 'idle') {
      record.stage({ step: { ...row, status: 'suspended' } })
      throw new SuspendSignal(sleeper, { reason: SLEEPING, data: null, resumeSchema: null, wakeAt })
    }
    await waiting
  } finally {
    // its timer would keep a suspended run in memory
    waiting.catch(() => undefined)
    scope.abort(new RunAborted('suspending', SLEEPING))
    scope.close()
  }
  sleeper.checkpoint()
}
