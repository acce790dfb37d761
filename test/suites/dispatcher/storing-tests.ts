import { expect, it } from 'vitest'
import { insertion } from '../store/execution-rows.ts'
import type { Dispatchers } from './dispatcher-suite.ts'
import { job, RecordedJobs } from './recorded-jobs.ts'

const HOUR_MS = 3_600_000

/** Which jobs are stored. */
export function storingTests(dispatchers: Dispatchers): void {
  const added = (name: string, at?: number) => ({ add: [{ key: name, job: job(name), ...(at && { at }) }] })

  it('a job is stored with the change of an execution, and not when the change is refused', async () => {
    const { executions, dispatcher, ownerEpoch } = await dispatchers.open()
    const applied = await executions.write([
      { ...insertion({ id: 'a', ownerEpoch, status: 'suspended' }), jobs: added('with a') },
      { ...insertion({ id: 'a', ownerEpoch, status: 'suspended' }), jobs: added('refused') },
      { ...insertion({ id: 'b', ownerEpoch, status: 'suspended' }), jobs: added('with b') },
    ])
    expect(applied).toEqual([true, false, true])
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(2)
    expect(server.names).toEqual(['with a', 'with b'])
  })

  it('a job is dropped with the change of an execution, and not when the change is refused', async () => {
    const { executions, dispatcher, ownerEpoch } = await dispatchers.open()
    await dispatcher.change({ add: ['a', 'b'].map((name) => ({ key: name, job: job(name) })) })
    const row = { ownerEpoch, status: 'suspended' } as const
    await executions.write([
      { ...insertion({ id: 'e', ...row }), jobs: { drop: ['a'] } },
      { ...insertion({ id: 'e', ...row }), jobs: { drop: ['b'] } },
    ])
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(1)
    expect(server.names).toEqual(['b'])
  })

  it('the jobs of changes that are only applied together are stored together, or not at all', async () => {
    const { executions, dispatcher, ownerEpoch } = await dispatchers.open()
    const row = { ownerEpoch, status: 'suspended' } as const
    await executions.write([insertion({ id: 'a', ...row }), insertion({ id: 'b', ...row })])
    const touch = (id: string, from: 'suspended' | 'completed') => ({
      id,
      update: { from, set: { updatedAt: 2000 } },
    })
    const applied = await executions.write([
      {
        ...touch('a', 'suspended'),
        jobs: added('1'),
        together: [{ ...touch('b', 'completed'), jobs: added('2') }],
      },
      {
        ...touch('a', 'suspended'),
        jobs: added('3'),
        together: [{ ...touch('b', 'suspended'), jobs: added('4') }],
      },
    ])
    expect(applied).toEqual([false, true])
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(2)
    expect(server.names.toSorted()).toEqual(['3', '4'])
  })

  it('a job replaces the one with its key, with its time', async () => {
    const { dispatcher } = await dispatchers.open()
    const later = Date.now() + HOUR_MS
    await dispatcher.change({ add: [{ key: 'k', job: job('first'), at: later }] })
    await dispatcher.change({ add: [{ key: 'l', job: job('other') }] })
    await dispatcher.change({ add: [{ key: 'l', job: job('never'), at: later }] })
    await dispatcher.change({ add: [{ key: 'k', job: job('second') }] })
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(1)
    await dispatcher.change({ add: [{ key: 'end', job: job('end') }] })
    await server.reached(2)
    expect(server.names).toEqual(['second', 'end'])
  })

  it('a dropped job is not done, and dropping an unknown key is no error', async () => {
    const { dispatcher } = await dispatchers.open()
    await dispatcher.change({ add: ['a', 'b', 'c'].map((name) => ({ key: name, job: job(name) })) })
    await dispatcher.change({ drop: ['b', 'unknown'] })
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(2)
    expect(server.names).toEqual(['a', 'c'])
  })

  it('a job is stored as it was given', async () => {
    const { dispatcher } = await dispatchers.open()
    const jobs = [
      { kind: 'wake', id: 'ü"🎉', sequence: 5 },
      { kind: 'begin', workflowId: 'w', executionId: 'e', input: '{"text":"it\'s \\u0000 é"}' },
    ] as const
    await dispatcher.change({ add: jobs.map((one, index) => ({ key: `k${index}`, job: one })) })
    const server = new RecordedJobs()
    await dispatcher.serve(server)
    await server.reached(2)
    expect(server.jobs).toEqual(jobs)
  })

  it('jobs survive the end of their process, and the missed ones are done at once', async () => {
    const first = await dispatchers.open()
    const { ownerEpoch } = first
    const row = { id: 'e', ownerEpoch, status: 'suspended' } as const
    await first.executions.write([{ ...insertion(row), jobs: added('with the commit') }])
    await first.dispatcher.change(added('soon', Date.now() + 1))
    await first.dispatcher.change(added('in an hour', Date.now() + HOUR_MS))
    const second = await dispatchers.reopen(first)
    const server = new RecordedJobs()
    await second.dispatcher.serve(server)
    await server.reached(2)
    expect(server.names.toSorted()).toEqual(['soon', 'with the commit'])
  })
}
