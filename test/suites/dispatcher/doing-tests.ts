import { expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import type { Dispatchers } from './dispatcher-suite.ts'
import { job, RecordedJobs } from './recorded-jobs.ts'

const HOUR_MS = 3_600_000

/** When jobs are done, and what happens when they fail. */
export function doingTests(dispatchers: Dispatchers): void {
  const numbered = (count: number, at = Date.now()) =>
    Array.from({ length: count }, (_, index) => ({ key: `${index}`, job: job(`${index}`), at: at + index }))

  it('jobs that are due are done in the order of their times, each once', async () => {
    const { dispatcher } = await dispatchers.open()
    const jobs = numbered(30, Date.now() - HOUR_MS)
    for (const one of jobs) await dispatcher.change({ add: [one] })
    const server = new RecordedJobs()
    server.most = 1
    server.serveSoon(dispatcher)
    await server.reached(jobs.length)
    expect(server.names).toEqual(jobs.map(({ key }) => key))
  })

  it('a process can serve before the jobs that were due are done', async () => {
    const { dispatcher } = await dispatchers.open()
    const jobs = numbered(40, Date.now() - HOUR_MS)
    await dispatcher.change({ add: jobs })
    const server = new RecordedJobs()
    const release = server.hold()
    await dispatcher.serve(server)
    expect(dispatcher.takingOver).toBeUndefined()
    release()
    await server.reached(jobs.length)
    await dispatcher.settled()
  })

  it('a job is done at its time, and not before', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    const at = Date.now() + 300
    let doneAt = 0
    server.act = async () => {
      doneAt = Date.now()
      return 'done'
    }
    await dispatcher.change({ add: [{ key: 'later', job: job('later'), at: at + HOUR_MS }] })
    await dispatcher.change({ add: [{ key: 'a', job: job('a'), at }] })
    await server.reached(1)
    // the two clocks of a database server and a test may differ by a few milliseconds
    expect(doneAt).toBeGreaterThanOrEqual(at - 10)
    expect(server.names).toEqual(['a'])
  })

  it('a job that fails, or is left for later, is tried again and counts its attempts', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.act = async (name, attempt) => {
      if (attempt > 2) return 'done'
      if (name === 'later') return 'later'
      throw new Error('failed')
    }
    await dispatcher.change({ add: ['failing', 'later'].map((name) => ({ key: name, job: job(name) })) })
    await dispatcher.serve(server)
    await server.reached(2)
    const attempts = (name: string) =>
      server.tried.filter((one) => one.name === name).map(({ attempt }) => attempt)
    await until(async () => {
      await dispatcher.retry()
      return server.tried.length >= 6
    })
    expect(attempts('failing')).toEqual([1, 2, 3])
    expect(attempts('later')).toEqual([1, 2, 3])
  })

  it('a job that fails is tried again by itself', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.act = async (_, attempt) => (attempt === 1 ? 'later' : 'done')
    await dispatcher.serve(server)
    await dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    await server.reached(2)
    expect(server.tried.map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  it('jobs that were left for later are tried at once by a process that starts', async () => {
    const first = await dispatchers.open()
    const server = new RecordedJobs()
    server.act = async () => 'later'
    await first.dispatcher.serve(server)
    await first.dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    // by then the delay is 15 s or more
    await until(async () => server.tried.length >= 8 || first.dispatcher.retry())
    const second = await dispatchers.reopen(first)
    const next = new RecordedJobs()
    const startedAt = performance.now()
    await second.dispatcher.serve(next)
    await next.reached(1)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('a job that fails does not hold up the others', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.most = 1
    server.act = async (name) => (name === '0' ? 'later' : 'done')
    await dispatcher.change({ add: numbered(5) })
    server.serveSoon(dispatcher)
    await until(() => new Set(server.names).size === 5)
    expect(server.names.slice(0, 5)).toEqual(['0', '1', '2', '3', '4'])
  })

  it('no more jobs are in progress than there is room for', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.most = 3
    const release = server.hold()
    await dispatcher.change({ add: numbered(10) })
    server.serveSoon(dispatcher)
    await until(() => server.inProgress === 3)
    release()
    await server.reached(10)
    expect(server.mostInProgress).toBe(3)
    expect(new Set(server.names).size).toBe(10)
  })

  it('jobs wait until there is room for them', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.most = 0
    await dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    server.serveSoon(dispatcher)
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.names).toEqual([])
    server.most = 1
    await server.reached(1)
  })

  it('a job that is stored again while it is in progress is done again', async () => {
    const { dispatcher } = await dispatchers.open()
    const server = new RecordedJobs()
    server.act = async () => {
      if (server.tried.length === 1) await dispatcher.change({ add: [{ key: 'k', job: job('next') }] })
      return 'done'
    }
    await dispatcher.change({ add: [{ key: 'k', job: job('first') }] })
    server.serveSoon(dispatcher)
    await server.reached(2)
    expect(server.names).toEqual(['first', 'next'])
  })

  it('a stop waits for the jobs in progress, and starts no others', async () => {
    const first = await dispatchers.open()
    const server = new RecordedJobs()
    server.most = 1
    const release = server.hold()
    await first.dispatcher.change({ add: numbered(2) })
    server.serveSoon(first.dispatcher)
    await server.reached(1)
    let stopped = false
    const stop = first.dispatcher.stop().then(() => (stopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(stopped).toBe(false)
    release()
    await stop
    await first.dispatcher.change({ add: [{ key: 'more', job: job('more') }] })
    expect(server.names).toEqual(['0'])
    const second = await dispatchers.reopen(first)
    const next = new RecordedJobs()
    await second.dispatcher.serve(next)
    await next.reached(2)
    expect(next.names.toSorted()).toEqual(['1', 'more'])
  })
}
