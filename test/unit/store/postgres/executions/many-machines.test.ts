import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ExecutionWrite } from '../../../../../src/store/execution-store.ts'
import { ExecutionMachines } from '../../../../support/postgres/execution-machines.ts'
import type { ExecutionMachine } from '../../../../support/postgres/execution-machines.ts'
import { describeOnPostgres } from '../../../../support/postgres/test-database.ts'
import { eventRow, insertion, stepRow } from '../../../../suites/store/execution-rows.ts'

const HOUR_MS = 3_600_000

/** Owner epochs are random: a later machine may have the lower one. */
const [FIRST, SECOND] = [900_000_000_000_000, 5]

describeOnPostgres('executions of machines that share a Postgres', () => {
  let machines: ExecutionMachines
  let first: ExecutionMachine
  let second: ExecutionMachine
  beforeEach(async () => {
    machines = await ExecutionMachines.create()
    first = await machines.join(FIRST)
    second = await machines.join(SECOND)
  })
  afterEach(() => machines.remove())

  const running = ({ ownerEpoch }: ExecutionMachine, id: string): ExecutionWrite => ({
    ...insertion({ id, ownerEpoch }),
    events: [eventRow(1, true)],
  })
  const progress = ({ ownerEpoch }: ExecutionMachine, id: string, seq: number): ExecutionWrite => ({
    id,
    update: { from: 'running', ownerEpoch, set: { updatedAt: seq } },
    steps: [stepRow({ path: `s${seq}`, status: 'completed' })],
    events: [eventRow(seq, seq % 2 === 0)],
  })

  it('are written by all of them at once, with milestones without gaps for a reader', async () => {
    const [executions, commits] = [20, 10]
    let isDone = false
    const write = async (machine: ExecutionMachine) => {
      const ids = Array.from({ length: executions }, (_, n) => `${machine.ownerEpoch}-${n}`)
      await machine.executions.write(ids.map((id) => running(machine, id)))
      for (let seq = 2; seq <= commits; seq++)
        expect(await machine.executions.write(ids.map((id) => progress(machine, id, seq)))).not.toContain(
          false,
        )
    }
    const numbers: number[] = []
    const read = async (): Promise<void> => {
      const isLast = isDone
      const found = await second.executions.milestones({ after: numbers.at(-1) ?? 0, limit: 1000 })
      numbers.push(...found.map(({ number }) => number))
      return isLast ? undefined : read()
    }
    const reading = read()
    await Promise.all([write(first), write(second)])
    isDone = true
    await reading
    expect(numbers).toEqual(Array.from({ length: 2 * executions * (1 + commits / 2) }, (_, n) => n + 1))
    expect(await first.executions.count({})).toBe(2 * executions)
    for (const { id } of await first.executions.list({}, { limit: 100, offset: 0 }))
      expect(await first.executions.lastSequence(id)).toBe(commits)
  })

  it('are changed without a deadlock, in whatever order each machine writes them', async () => {
    const ids = Array.from({ length: 200 }, (_, n) => `e${n}`)
    await first.executions.write(ids.map((id) => insertion({ id })))
    const touch = (id: string, updatedAt: number): ExecutionWrite => ({
      id,
      update: { from: 'running', set: { updatedAt } },
      together: [{ id: `e${199 - Number(id.slice(1))}`, update: { from: 'running', set: { updatedAt } } }],
    })
    const write = async ({ executions }: ExecutionMachine, order: readonly string[]) => {
      for (let round = 0; round < 20; round++)
        expect(await executions.write(order.map((id) => touch(id, round)))).not.toContain(false)
    }
    const half = ids.slice(0, 100)
    await Promise.all([write(first, half), write(second, half.toReversed()), write(second, half)])
    await machines.close()
    const [stats] = await machines.database.query(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    )
    expect(stats).toEqual({ deadlocks: 0 })
  })

  it('are created by one of those that use the same id at the same time', async () => {
    for (let n = 0; n < 10; n++) {
      const id = `e${n}`
      const answers = await Promise.all([
        first.executions.write([running(first, `a${n}`), running(first, id)]),
        second.executions.write([running(second, `b${n}`), running(second, id)]),
      ])
      expect(answers.map(([own]) => own)).toEqual([true, true])
      expect(answers.filter(([, shared]) => shared)).toHaveLength(1)
    }
    expect(await first.executions.newestMilestone()).toBe(30)
  })

  it('are refused to an owner that others have replaced, events included', async () => {
    await first.executions.write([running(first, 'a')])
    const takeOver = { from: 'running', ownerEpoch: FIRST, lastSequence: 1 } as const
    const taken = await second.executions.write([
      { id: 'a', update: { ...takeOver, set: { ownerEpoch: SECOND, updatedAt: 2 } }, events: [eventRow(2)] },
    ])
    expect(taken).toEqual([true])
    expect(await first.executions.write([progress(first, 'a', 2)])).toEqual([false])
    // an event with a number that is taken is refused to the owner, too
    expect(await second.executions.write([progress(second, 'a', 2)])).toEqual([false])
    expect(await second.executions.write([progress(second, 'a', 3)])).toEqual([true])
    expect((await first.executions.events('a', { after: 0, limit: 10 })).map(({ seq }) => seq)).toEqual([
      1, 2, 3,
    ])
  })

  it('are counted per hour over all machines, also when their counts are merged', async () => {
    await first.executions.write([running(first, 'a'), running(first, 'b')])
    await second.executions.write([running(second, 'c')])
    const end = { status: 'completed', endedAt: HOUR_MS, updatedAt: 3 } as const
    await second.executions.write([{ id: 'c', update: { from: 'running', set: end } }])
    const counts = await first.usage.hours(0)
    expect(counts).toMatchObject([
      { hour: 0, started: 3 },
      { hour: 1, started: 0, completed: 1 },
    ])
    await Promise.all(
      [first, second].map(({ executions }) => executions.prune({ endedBefore: 0, keep: 100 }, 10)),
    )
    expect(await first.usage.hours(0)).toEqual(counts)
    expect(await machines.database.query('SELECT 1 FROM project.hours')).toHaveLength(2)
    await first.executions.write([running(first, 'd')])
    await first.executions.prune({ endedBefore: 0, keep: 100 }, 10)
    expect(await second.usage.hours(0)).toMatchObject([{ started: 4 }, { completed: 1 }])
    expect(await machines.database.query('SELECT 1 FROM project.hours')).toHaveLength(2)
  })

  it('are deleted with all their parts, and no more of them than retention allows', async () => {
    const ended = Array.from({ length: 40 }, (_, n) => ({
      ...insertion({ id: `e${n}`, status: 'completed', endedAt: n }),
      steps: [stepRow({ path: 's' })],
      events: [eventRow(1, true)],
    }))
    await first.executions.write(ended)
    const prune = ({ executions }: ExecutionMachine) => executions.prune({ endedBefore: 0, keep: 10 }, 100)
    const deleted = await Promise.all([first, second, first, second].map((machine) => prune(machine)))
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(30)
    expect(await first.executions.count({})).toBe(10)
    for (const table of ['payloads', 'journal', 'milestones'])
      expect(await machines.database.query(`SELECT 1 FROM project.${table}`)).toHaveLength(10)
  })
})
