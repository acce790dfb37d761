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
