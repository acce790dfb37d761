import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitForRetry } from '../../../../src/engine/run/steps/attempt.ts'
import type { DurableRecord } from '../../../../src/engine/record/execution-record.ts'
import { retryPolicy } from '../../../../src/step/retry.ts'
import { Scope } from '../../../../src/lib/async/scope.ts'

const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A wait of an hour on a clock that the test moves; `ended` is set when it is over. */
function wait({ wakeAt = HOUR } = {}) {
  const started = performance.now()
  let jumped = 0
  const pause = new Scope()
  const now = () => performance.now() - started + jumped
  const record = { now, clock: { now }, pause } as unknown as DurableRecord
  const waits = new Set<() => void>()
  const wake = () => {
    for (const look of waits) look()
  }
  const state = { ended: false, pause, wake, jump: (ms: number) => (jumped += ms) }
  const retries = retryPolicy({ limit: 1, delayMs: HOUR, maxDelayMs: HOUR })
  const step = { record, waits, scope: new Scope(), retries }
  void waitForRetry({ wakeAt, failures: 1 }, step).then(() => (state.ended = true))
  return state
}

test('waits until it is due', async () => {
  const state = wait()
  await vi.advanceTimersByTimeAsync(HOUR - 1)
  expect(state.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(state.ended).toBe(true)
})

test('ends when it is woken at its time, and not when it is woken before', async () => {
  const state = wait()
  await vi.advanceTimersByTimeAsync(60_000)
  state.wake()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.ended).toBe(false)
  state.jump(HOUR)
  state.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(state.ended).toBe(true)
})

test('takes at most the delay of the retry when the clock was set back, before or during the wait', async () => {
  const before = wait({ wakeAt: 100 * HOUR })
  const during = wait()
  during.jump(-100 * HOUR)
  await vi.advanceTimersByTimeAsync(HOUR - 1)
  expect([before.ended, during.ended]).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(1)
  expect([before.ended, during.ended]).toEqual([true, true])
})

test('ends when the run is asked to stop', async () => {
  const state = wait()
  await vi.advanceTimersByTimeAsync(60_000)
  state.pause.abort(new Error('stop'))
  await vi.advanceTimersByTimeAsync(0)
  expect(state.ended).toBe(true)
})
