import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { suspending } from './sample-steps.ts'

const asks = createWorkflow({ id: 'asks' }, suspending('q'))
const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: asks })
const ann = { id: 'ann', role: 'clerk' }
const bob = { id: 'bob' }

/** Whose an execution is, and who did what with it. */
export function actorTests(engines: Engines): void {
  it('the user who resumed an execution is still known after a crash, and not after a resume without a user', async () => {
    const seen: unknown[] = []
    const twice = createWorkflow(
      { id: 'twice' },
      suspending('q'),
      andThen({
        id: 'see',
        execute: async ({ resumedBy, resumeData, suspend, attempt, signal }) => {
          seen.push(resumedBy)
          if (resumeData !== undefined) return null
          if (attempt > 1) suspend()
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('ended'))),
          )
        },
      }),
    )
    const before = await engines.start([twice])
    const { executionId } = await before.execute('twice', {}, { user: ann })
    void before.engine.executions
      .resume({ executionId }, 'yes', { decider: { ...CODE_DECIDES, by: 'user', user: bob } })
      .catch(() => undefined)
    await before.reached(executionId, 'see')
    await before.crash()
    const process = await engines.next(before)
    await expect.poll(() => process.status(executionId)).toBe('suspended')
    expect(seen).toEqual([bob, bob])
    await process.resume(executionId, 'go')
    expect(seen).toEqual([bob, bob, undefined])
    const record = await process.detail(executionId)
    expect(record).toMatchObject({ ownerId: 'ann', startedBy: 'ann' })
    expect(record).not.toHaveProperty('resumedBy')
  })

  it('a child belongs to the owner of its parent; both show who resumed and cancelled them', async () => {
    const process = await engines.start([asks, parent])
    const { executionId } = await process.execute('parent', {}, { user: ann })
    const childId = await process.child(executionId)
    expect(await process.detail(childId)).toMatchObject({ ownerId: 'ann', startedBy: 'ann' })
    await process.engine.executions.resume({ executionId }, 'yes', {
      decider: { ...CODE_DECIDES, by: 'user', user: bob },
    })
    for (const id of [executionId, childId])
      expect(await process.detail(id)).toMatchObject({ status: 'completed', resumedBy: 'bob' })
    const other = await process.execute('parent', {}, { user: ann })
    await process.engine.executions.cancel({ executionId: other.executionId }, 'enough', { user: bob })
    for (const id of [other.executionId, ...(await process.children(other.executionId))])
      expect(await process.detail(id)).toMatchObject({ status: 'cancelled', cancelledBy: 'bob' })
  })

  it('a parent that is suspended by request shows who suspended it, and so does its child', async () => {
    const held = createWorkflow({ id: 'held' })
      .andThen({ id: 'first', execute: () => door.promise })
      .andThen({ id: 'second', execute: () => 1 })
    const outer = createWorkflow({ id: 'outer' }).andWorkflow({ id: 'down', workflow: held })
    const door = createDeferred<void>()
    const process = await engines.start([held, outer])
    const { executionId } = await process.startExecution('outer', {}, { user: ann })
    await process.reached(executionId, 'down')
    const childId = await process.child(executionId)
    await process.reached(childId, 'first')
    const suspending = process.engine.executions.suspend({ executionId }, 'lunch', bob)
    await expect.poll(() => process.logs.some(({ suspendedBy }) => suspendedBy === 'bob')).toBe(true)
    door.resolve()
    await suspending
    for (const id of [executionId, childId])
      expect(await process.detail(id)).toMatchObject({ status: 'suspended', suspendedBy: 'bob' })
  })

  it('the record names the users also when it has too many events to list them all', async () => {
    const chatty = createWorkflow(
      { id: 'chatty' },
      andThen({ id: 'emit', execute: ({ emit }) => Array.from({ length: 10_000 }, () => emit('x')).length }),
      suspending('q'),
    )
    const process = await engines.start([chatty])
    const { executionId } = await process.execute('chatty', {}, { user: ann })
    await process.engine.executions.cancel({ executionId }, 'enough', { user: bob })
    const { startedBy, cancelledBy, events } = await process.detail(executionId)
    expect([startedBy, cancelledBy, events.length]).toEqual(['ann', 'bob', 10_000])
  })

  it('a replay belongs to the owner of the original, or else to the user who replays it', async () => {
    const process = await engines.start([asks])
    const owned = await process.execute('asks', {}, { user: ann })
    const replay = async (executionId: string) => {
      const options = { decider: { ...CODE_DECIDES, by: 'user', user: bob } } as const
      const started = await process.engine.executions.replay({ executionId }, 'q', options)
      await started.result()
      return process.detail(started.executionId)
    }
    expect(await replay(owned.executionId)).toMatchObject({
      ownerId: 'ann',
      startedBy: 'bob',
      replayedBy: 'bob',
    })
    const open = await process.execute('asks')
    expect(await replay(open.executionId)).toMatchObject({ ownerId: 'bob', startedBy: 'bob' })
  })
}
