import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CrashGuard } from '../../../../src/engine/run/crash-guard.ts'
import { CrashSuspects } from '../../../../src/engine/run/crash-suspects.ts'
import type { DurableRecord } from '../../../../src/engine/record/execution-record.ts'
import { Scope } from '../../../../src/lib/async/scope.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('what a suspected step needs is prepared before the first one, once', async () => {
  const order: string[] = []
  const suspects = new CrashSuspects(async () => {
    await Promise.resolve()
    order.push('prepared')
  })
  const turns = [suspects.enqueue(), suspects.enqueue()]
  const started = turns.map(async (turn, index) => {
    await turn.ready
    order.push(`turn ${index}`)
    turn.end()
  })
  await suspects.ended()
  await Promise.all(started)
  expect(order).toEqual(['prepared', 'turn 0', 'turn 1'])
})

test('a suspected step that runs for ten minutes lets the next one start, and is not blamed for a later crash', async () => {
  const suspects = new CrashSuspects()
  const started: string[] = []
  const staged: unknown[] = []
  const run = (path: string) => {
    const record = {
      steps: new Map([[path, { path, exempt: false }]]),
      pause: new Scope(),
      stage: ({ step }: { step: unknown }) => staged.push(step),
    } as unknown as DurableRecord
    const guard = new CrashGuard(record, suspects)
    void guard.inTurn({ path, crashes: 2, scope: new Scope() }, () => {
      started.push(path)
      return new Promise(() => undefined)
    })
  }
  run('a')
  run('b')
  await vi.advanceTimersByTimeAsync(599_999)
  expect([started, staged]).toEqual([['a'], []])
  await vi.advanceTimersByTimeAsync(1)
  expect([started, staged]).toEqual([['a', 'b'], [{ path: 'a', exempt: true }]])
})
