import { expect, test } from 'vitest'
import { CrashGuard } from '../../../../src/engine/run/crash-guard.ts'
import { Trials } from '../../../../src/engine/run/trials.ts'
import type { DurableRecord } from '../../../../src/engine/record/execution-record.ts'
import { Scope } from '../../../../src/lib/async/scope.ts'
import { stepRow } from '../../../suites/store/execution-rows.ts'

test('the calls of a step that is tried alone begin in its trial, also those that are suspects', async () => {
  const trials = new Trials({ logger: { warn: () => undefined }, trialMs: 60_000 })
  const suspect = (path: string, crashes: number) => stepRow({ path, crashes, trial: 'waiting' })
  const record = { id: 'e', row: { kind: 'workflow' }, pause: new Scope(), steps: new Map(), closed: true }
  const guard = new CrashGuard(record as unknown as DurableRecord, trials)
  const scope = new Scope()
  const begun = guard.inTurn({ path: 'outer', row: suspect('outer', 2), scope }, async () => [
    await guard.inTurn({ path: 'outer/known', row: suspect('outer/known', 1), scope }, async () => 1),
    await guard.inTurn({ path: 'outer/fresh', row: undefined, scope }, async () => 2),
  ])
  await expect(begun).resolves.toEqual([1, 2])
})
