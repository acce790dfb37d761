import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Job } from '../../../../../src/store/dispatcher.ts'
import { describeOnPostgres } from '../../../../support/postgres/test-database.ts'
import { until } from '../../../../support/until.ts'
import { TestMachines } from './machines.ts'

describeOnPostgres('machines on one Postgres', () => {
  let machines: TestMachines

  beforeEach(async () => {
    machines = await TestMachines.create()
  })

  afterEach(async () => {
    await machines.remove()
  })

  it('a machine continues the executions of one that has died', async () => {
    const [dying, other] = [await machines.serve(), await machines.serve()]
    const ids = await machines.run(dying.ownerEpoch, 3)
    dying.isCutOff = true
    // the jobs may be announced before the answer to the commit
    await until(() => other.jobs.length === 3 && other.deaths.length === 1)
    expect(other.jobs).toEqual(
      expect.arrayContaining(
        // machines of its release come first
        ids.map((id) => ({ kind: 'continue', id, from: dying.ownerEpoch, release: '1' })),
      ),
    )
    expect(other.deaths).toEqual([dying.ownerEpoch])
    expect(await other.dispatcher.isAlive(dying.ownerEpoch)).toBe(false)
    expect(await other.dispatcher.machines()).toHaveLength(1)
  })

  it('a machine that stops hands its executions over at once', async () => {
    const [leaving, other] = [await machines.serve(), await machines.serve()]
    const ids = await machines.run(leaving.ownerEpoch, 3)
    const started = performance.now()
    await leaving.stop()
    await until(() => other.jobs.length === 3)
    expect(performance.now() - started).toBeLessThan(1000)
    expect(other.ids.toSorted()).toEqual(ids)
    expect(await machines.database.query('SELECT crash FROM project.lives')).toEqual([])
  })

  it('the end of a machine is logged, and that of a command only if it left executions', async () => {
    const server = await machines.serve()
    const [leaving, command, interrupted] = [
      await machines.serve(),
      await machines.join(),
      await machines.join(),
    ]
    await machines.run(interrupted.ownerEpoch, 2)
    for (const machine of [leaving, command, interrupted]) {
      await machine.stop()
      await until(async () => !(await server.dispatcher.isAlive(machine.ownerEpoch)))
    }
    const id = `${hostname()}:${process.pid}`
    await until(() => server.log.length >= 2)
    expect(server.log).toEqual([
      `Machine ${id} has stopped`,
      `Machine ${id} has stopped; 2 execution(s) and answer(s) of it are continued on other machines`,
    ])
  })

  it('the executions of a dead machine are shared among the others', async () => {
    const dying = await machines.serve({ room: 0 })
    const others = await Promise.all([machines.serve(), machines.serve(), machines.serve()])
    await machines.run(dying.ownerEpoch, 300)
    dying.isCutOff = true
    await until(() => others.reduce((sum, { jobs }) => sum + jobs.length, 0) === 300)
    for (const { jobs } of others) expect(Math.abs(jobs.length - 100)).toBeLessThanOrEqual(20)
  })

  it('an outage of the database for all machines moves nothing', async () => {
    const all = await Promise.all([machines.serve(), machines.serve(), machines.serve()])
    for (const { ownerEpoch } of all) await machines.run(ownerEpoch, 5)
    for (const machine of all) machine.isCutOff = true
    await delay(2500)
    for (const machine of all) machine.isCutOff = false
    await delay(2500)
    expect(all.map(({ deaths, jobs }) => [deaths, jobs])).toEqual([
      [[], []],
      [[], []],
      [[], []],
    ])
    expect(await all[0]?.dispatcher.machines()).toHaveLength(3)
  })

  it('a machine that was taken for dead rejoins', async () => {
    const [cut, other] = [await machines.serve(), await machines.serve()]
    cut.isCutOff = true
    await until(() => other.deaths.length === 1)
    cut.isCutOff = false
    await until(() => other.dispatcher.isAlive(cut.ownerEpoch))
    expect(cut.log.filter((line) => line.includes('taken for dead'))).toHaveLength(1)
    expect(await other.dispatcher.machines()).toHaveLength(2)
  })

  it('executions whose owner no machine knows are adopted by one of those that start', async () => {
    const ids = await machines.run(7, 4)
    // as the engine does it: the execution has another owner when the job is done
    const run = async (job: Job) => {
      if (job.kind === 'continue') await machines.own(job.id, 0)
      return 'done' as const
    }
    const all = await Promise.all([machines.serve({ run }), machines.serve({ run })])
    await until(() => all.flatMap((machine) => machine.ids).length === 4)
    await delay(2000)
    expect(all.flatMap((machine) => machine.ids).toSorted()).toEqual(ids)
  })

  it('a job that can not be done now is tried by another machine', async () => {
    let refused = 0
    const refuse = async () => {
      refused++
      return 'later' as const
    }
    const [without, broken] = [await machines.serve({ run: refuse }), await machines.serve({ run: fail })]
    await without.dispatcher.change({ add: [begin('a')] })
    await until(() => refused > 1)
    const able = await machines.serve()
    // any of the three may be the next to try it
    await until(async () => {
      await able.dispatcher.retry()
      return able.jobs.length === 1
    })
    expect(able.jobs).toEqual([begin('a').job])
    expect([without.jobs, broken.jobs]).toEqual([[], []])
  })

  it('jobs that a configuration can not do are left to machines that can, until it changes', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `job ${n}`)
    const jobs = ids.map((id) => begin(id))
    const refused: string[] = []
    let isAble = false
    const without = await machines.serve({
      run: async (job) => {
        if (isAble) return 'done'
        refused.push(job.kind === 'begin' ? job.executionId : '')
        return 'elsewhere'
      },
    })
    await without.dispatcher.change({ add: jobs })
    await until(() => refused.length >= jobs.length)
    const able = await machines.serve()
    await until(() => able.jobs.length === jobs.length)
    expect(refused.toSorted()).toEqual(ids.toSorted())
    await able.stop()
    await without.dispatcher.change({ add: jobs })
    await until(() => refused.length === 2 * jobs.length)
    isAble = true
    await until(async () => {
      await without.dispatcher.retry()
      return without.jobs.length === jobs.length
    })
  })

  it('jobs that were left for later are tried at once when a configuration has changed', async () => {
    const attempts: number[] = []
    const machine = await machines.serve({
      run: async (_, attempt) => {
        attempts.push(attempt)
        return attempt > 4 ? 'done' : 'later'
      },
    })
    await machine.dispatcher.change({ add: [begin('a')] })
    await until(async () => {
      await machine.dispatcher.retry()
      return machine.jobs.length === 1
    })
    expect(attempts).toEqual([1, 2, 3, 4, 5])
  })

  it('a job is due at its time, and replaces an earlier one with its key', async () => {
    const machine = await machines.serve()
    const later = Date.now() + 600_000
    await machine.dispatcher.change({ add: [begin('early')], drop: [] })
    await machine.dispatcher.change({ add: [{ ...begin('late'), key: 'same', at: later }] })
    await machine.dispatcher.change({ add: [{ ...begin('dropped'), key: 'other', at: later }] })
    await machine.dispatcher.change({ drop: ['other'] })
    const at = Date.now() + 1500
    await machine.dispatcher.change({ add: [{ ...begin('due'), key: 'same', at }] })
    await until(() => machine.jobs.length === 2)
    expect(machine.ids).toEqual(['early', 'due'])
    expect(Date.now() - at).toBeGreaterThanOrEqual(-50)
  })

  it('a machine without room takes no jobs until it has', async () => {
    const machine = await machines.serve({ room: 0 })
    await machine.dispatcher.change({ add: [begin('a'), begin('b'), begin('c')] })
    await delay(300)
    expect(machine.jobs).toEqual([])
    machine.room = 2
    await until(() => machine.jobs.length === 3)
  })

  it('jobs that a machine had fetched when it died are done by another', async () => {
    const dying = await machines.serve({ run: () => new Promise<never>(() => undefined) })
    await dying.dispatcher.change({ add: [begin('a')] })
    await until(async () => {
      const active = await machines.database.query(
        `SELECT FROM project_boss.job WHERE name = 'jobs' AND state = 'active'`,
      )
      return active.length === 1
    })
    const other = await machines.serve()
    dying.isCutOff = true
    await until(() => other.jobs.length === 1)
    expect(other.ids).toEqual(['a'])
  })

  it('a machine without notifications finds jobs and deaths by itself', async () => {
    const [dying, other] = [await machines.serve(), await machines.serve({ isDeaf: true })]
    await machines.run(dying.ownerEpoch, 20)
    dying.isCutOff = true
    await until(() => other.jobs.length === 20 && other.deaths.length === 1)
    expect(other.deaths).toEqual([dying.ownerEpoch])
  })

  it('20000 executions of a dead machine are continued', async () => {
    const [dying, other] = [await machines.serve(), await machines.serve({ room: 0 })]
    await machines.run(dying.ownerEpoch, 20_000)
    dying.isCutOff = true
    await until(() => other.deaths.length === 1)
    const [count] = await machines.database.query<{ jobs: number }>(
      `SELECT count(*)::int AS jobs FROM project_boss.job WHERE name = 'jobs'`,
    )
    expect(count).toEqual({ jobs: 20_000 })
  })

  it('a job is due at its time by the clock of the database, whatever that of the machine', async () => {
    const now = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000)
    onTestFinished(() => clock.mockRestore())
    const machine = await machines.serve()
    const started = performance.now()
    await machine.dispatcher.change({ add: [{ ...begin('a'), at: Date.now() + 1000 }] })
    await until(() => machine.jobs.length === 1)
    expect(performance.now() - started).toBeGreaterThan(900)
    // by its own clock an hour later
    expect(performance.now() - started).toBeLessThan(600_000)
    expect(machine.log).toEqual([
      expect.stringMatching(
        /^The clock of this machine is 3(?:600\.0|599\.9) s ahead of that of the database$/,
      ),
    ])
    const [seen] = await machine.dispatcher.machines()
    expect(Math.abs(Date.now() - (seen?.lastBeatAt ?? 0))).toBeLessThan(2000)
  })

  it('a machine reports what it does', async () => {
    const machine = await machines.serve()
    const seen = await until(async () => {
      const [first] = await machine.dispatcher.machines()
      return first?.release === '1' ? first : undefined
    })
    expect(seen).toMatchObject({ ownerEpoch: machine.ownerEpoch, release: '1', load: 0.25, executions: 3 })
    expect(seen.id).toMatch(/:\d+$/)
    expect(Math.abs(Date.now() - seen.lastBeatAt)).toBeLessThan(2000)
  })
})

function begin(executionId: string) {
  const job = { kind: 'begin', workflowId: 'order', executionId, input: '{}' } as const
  return { key: `begin:${executionId}`, job }
}

function fail(): Promise<never> {
  return Promise.reject(new Error('broken'))
}
