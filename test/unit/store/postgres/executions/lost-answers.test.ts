import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ExecutionWrite } from '../../../../../src/store/execution-store.ts'
import { DatabaseProxy } from '../../../../support/postgres/database-proxy.ts'
import { ExecutionMachines } from '../../../../support/postgres/execution-machines.ts'
import type { ExecutionMachine } from '../../../../support/postgres/execution-machines.ts'
import { describeOnPostgres } from '../../../../support/postgres/test-database.ts'
import { eventRow, insertion, stepRow } from '../../../../suites/store/execution-rows.ts'

const EPOCH = 12
const CALL = /write_executions/

describeOnPostgres('a write whose answer from Postgres is lost', () => {
  let machines: ExecutionMachines
  let proxy: DatabaseProxy
  let machine: ExecutionMachine
  beforeEach(async () => {
    machines = await ExecutionMachines.create()
    proxy = await DatabaseProxy.listen(machines.database.url)
    machine = await machines.join(EPOCH, { url: proxy.url })
  })
  afterEach(async () => {
    await machines.close()
    await proxy.close()
    await machines.remove()
  })

  const write = (...writes: ExecutionWrite[]) => machine.executions.write(writes)
  const started = (id: string): ExecutionWrite => ({
    ...insertion({ id, ownerEpoch: EPOCH, status: 'suspended' }),
    events: [eventRow(1, true)],
  })
  const resumed = (id: string): ExecutionWrite => ({
    id,
    update: {
      from: 'suspended',
      lastSequence: 1,
      set: { status: 'running', ownerEpoch: EPOCH, updatedAt: 2 },
    },
    steps: [stepRow({ path: 's' })],
    events: [eventRow(2, true)],
  })

  it('is stored once, and reported as applied', async () => {
    proxy.loseAnswers(CALL, 1)
    expect(await write(started('a'), started('b'))).toEqual([true, true])
    expect(proxy.lost).toBe(1)
    expect(machine.committed).toEqual([['a', 'b']])
    expect(await machine.executions.newestMilestone()).toBe(2)
    expect(await machine.usage.hours(0)).toMatchObject([{ started: 2 }])
  })

  it('is refused where it was refused, also beside one of the same kind that was applied', async () => {
    await write(started('a'), started('b'))
    proxy.loseAnswers(CALL, 3)
    expect(await write(resumed('a'), resumed('b'), resumed('a'), started('b'))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(proxy.lost).toBe(3)
    expect(await machine.executions.lastSequence('a')).toBe(2)
    expect(await machine.executions.newestMilestone()).toBe(4)
    // later writes build on it
    const next = { from: 'running', ownerEpoch: EPOCH, set: { updatedAt: 3 } } as const
    expect(await write({ id: 'a', update: next, events: [eventRow(3)] })).toEqual([true])
  })

  it('is stored if only the one that was sent again has reached the database', async () => {
    await write(started('a'))
    proxy.loseAnswers(/BEGIN/, 1)
    expect(await write({ ...resumed('a'), jobs: { add: [JOB] } })).toEqual([true])
    expect(proxy.lost).toBe(1)
    expect(await machines.jobs()).toEqual([JOB.key])
  })

  it('stores and drops its jobs once', async () => {
    await write({ ...started('a'), jobs: { add: [{ ...JOB, key: 'old' }] } })
    proxy.loseAnswers(/COMMIT/, 1)
    expect(await write({ ...resumed('a'), jobs: { add: [JOB], drop: ['old'] } })).toEqual([true])
    expect(proxy.lost).toBe(1)
    expect(await machines.jobs()).toEqual([JOB.key])
  })

  it('stores no jobs if it is not applied', async () => {
    await write(started('a'))
    const refused = { ...started('a'), jobs: { add: [JOB] } }
    const together = { ...resumed('a'), together: [{ ...resumed('nobody'), jobs: { add: [JOB] } }] }
    proxy.loseAnswers(/COMMIT/, 1)
    expect(await write(refused, together)).toEqual([false, false])
    expect(await machines.jobs()).toEqual([])
    expect(machine.committed).toEqual([['a']])
  })
})

const JOB = { key: 'wake:a', job: { kind: 'wake', id: 'a', sequence: 2 } } as const
