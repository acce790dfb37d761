import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { suspending } from './sample-steps.ts'

/** Metadata of executions, and changes of many. */
export function metadataTests(engines: Engines): void {
  const asking = createWorkflow({ id: 'asking' }, suspending('ask'))

  it('an execution is found by its metadata, whose values are compared as texts', async () => {
    const process = await engines.start([asking])
    const metadata = { plan: 'pro', seats: 5, 'is-test': true, ratio: 0.5 }
    const { executionId } = await process.execute('asking', {}, { metadata })
    await process.execute('asking', {}, { metadata: { plan: 'free', seats: 5 } })
    await process.execute('asking')
    const found = async (filter: Record<string, string>) =>
      (await process.engine.queries.list({ metadata: filter }, { limit: 9, offset: 0 })).length
    expect((await process.detail(executionId)).metadata).toMatchObject({
      ...metadata,
      traceId: expect.any(String),
    })
    expect(await found({ plan: 'pro' })).toBe(1)
    expect(await found({ seats: '5' })).toBe(2)
    expect(await found({ seats: '5', plan: 'free' })).toBe(1)
    expect(await found({ 'is-test': 'true' })).toBe(1)
    expect(await found({ ratio: '0.5' })).toBe(1)
    expect(await found({ plan: "pro' OR 1" })).toBe(0)
    expect(await process.engine.queries.count({ metadata: { seats: '5' }, status: 'suspended' })).toBe(2)
  })

  it('step.metadata adds to the metadata, also in steps of a chain, over a resume and a crash', async () => {
    const flow = createWorkflow({
      id: 'f',
      run: async ({ step }) => {
        step.metadata({ phase: 'asking', plan: 'pro' })
        const answer = await step.suspend('ask')
        step.metadata({ phase: 'done' })
        return answer
      },
    })
    const chain = createWorkflow(
      { id: 'c' },
      andThen({ id: 'a', execute: ({ step }) => step.metadata({ from: 'a step' }) }),
    )
    const before = await engines.start([flow, chain])
    const { executionId } = await before.execute('f', {}, { metadata: { tenant: 't', plan: 'free' } })
    expect((await before.detail(executionId)).metadata).toMatchObject({
      tenant: 't',
      plan: 'pro',
      phase: 'asking',
    })
    await before.crash()
    const process = await engines.next(before)
    await process.resume(executionId, 'yes')
    expect((await process.detail(executionId)).metadata).toMatchObject({
      tenant: 't',
      plan: 'pro',
      phase: 'done',
    })
    const chained = await process.execute('c')
    expect((await process.detail(chained.executionId)).metadata).toMatchObject({ from: 'a step' })
  })

  it.each([
    ['a value that is an object', { a: {} }, 'metadata.a'],
    ['a reserved name', { traceId: 'x' }, 'metadata.traceId'],
    ['21 members', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`m${n}`, n])), '20 members'],
  ])('step.metadata refuses %s', async (_, values, message) => {
    const flow = createWorkflow({
      id: 'f',
      run: async ({ step }) => {
        step.metadata(values as Record<string, string>)
        return step.run('a', () => 1)
      },
    })
    const process = await engines.start([flow])
    expect((await process.executeFailing('f')).error?.message).toContain(message)
  })

  it('a replay has the metadata of its original', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: () => 1 }))])
    const { executionId } = await process.execute('w', {}, { metadata: { plan: 'pro' } })
    const replayed = await process.engine.executions.replay({ executionId }, 'a', { decider: CODE_DECIDES })
    await replayed.result()
    expect((await process.detail(replayed.executionId)).metadata).toMatchObject({ plan: 'pro' })
  })

  it('a change of many executions goes through all that the filter finds, and reports those that fail', async () => {
    const process = await engines.start([asking])
    for (let count = 0; count < 25; count++) await process.execute('asking', {}, { metadata: { batch: 'x' } })
    await process.execute('asking')
    const { executions } = process.engine
    const chosen = { filter: { metadata: { batch: 'x' } }, ended: false, limit: 1000 }
    expect(await executions.countChosen(chosen)).toBe(25)
    let first = true
    const { done, failed } = await executions.changeChosen(chosen, async ({ id }) => {
      if (first) {
        first = false
        throw new Error('not this one')
      }
      await executions.cancel({ executionId: id })
      return id
    })
    expect([done.length, failed]).toEqual([24, [{ executionId: expect.any(String), error: 'not this one' }]])
    expect(await executions.countChosen(chosen)).toBe(1)
    expect(await executions.countChosen({ ...chosen, ended: true })).toBe(24)
    expect(await process.engine.queries.count({ status: 'suspended' })).toBe(2)
  })
}
