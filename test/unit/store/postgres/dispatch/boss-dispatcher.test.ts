import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
    await until(() => other.jobs.length === 3)
    expect(other.jobs).toEqual(
      expect.arrayContaining(ids.map((id) => ({ kind: 'go-on', id, from: dying.ownerEpoch }))),
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
    expect(await machines.database.query('SELECT max(crashes) FROM project.executions')).toEqual([{ max: 0 }])
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
      if (job.kind === 'go-on')
        await machines.database.query('UPDATE project.executions SET owner_epoch = 0 WHERE id = $1', [job.id])
      return 'done' as const
    }
    const all = await Promise.all([machines.serve({ run }), machines.serve({ run })])
    await until(() => all.flatMap((machine) => machine.ids).length === 4)
    await delay(2000)
    expect(all.flatMap((machine) => machine.ids).toSorted()).toEqual(ids)
  })

  it('executions whose machines die again and again are continued after a pause', async () => {
    const other = await machines.serve()
    const waitAfterCrash = async () => {
      const dying = await machines.join()
      const { ownerEpoch } = dying
      await machines.database.query(
        `INSERT INTO project.executions (id, status, owner_epoch) VALUES ('poison', 'running', $1)
         ON CONFLICT (id) DO UPDATE SET owner_epoch = $1`,
        [ownerEpoch],
      )
      dying.isCutOff = true
      await until(() => other.deaths.includes(ownerEpoch))
      const [job] = await machines.database.query<{ wait: number }>(
        `SELECT extract(epoch FROM start_after - now())::float8 AS wait FROM project_boss.job
         WHERE name = 'jobs' AND (data -> 'job' ->> 'from')::bigint = $1`,
        [ownerEpoch],
      )
      return job?.wait
    }
    await waitAfterCrash()
    await until(() => other.jobs.length === 1)
    const second = await waitAfterCrash()
    expect(second).toBeGreaterThan(3)
    expect(second).toBeLessThanOrEqual(15)
    const third = await waitAfterCrash()
    expect(third).toBeGreaterThan(25)
    expect(third).toBeLessThanOrEqual(60)
  })
})
