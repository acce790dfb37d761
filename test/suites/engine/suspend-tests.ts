import { expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { sleep } from './sample-steps.ts'

/** Suspensions by a step. */
export function suspendTests(engines: Engines): void {
  it('a step suspends its execution, with a reason and data', async () => {
    const resumeSchema = z.object({ ok: z.boolean() })
    const asks = createWorkflow({ id: 'asks', inputSchema: z.object({ n: z.number() }) })
      .andThen({ id: 'before', execute: ({ data }) => data.n })
      .andThen({
        id: 'ask',
        resumeSchema,
        execute: ({ data, suspend, resumeData }) => resumeData ?? suspend('over limit', { amount: data }),
      })
      .andThen({ id: 'after', execute: ({ data }) => data })
    const process = await engines.start([asks])
    const result = await process.execute('asks', { n: 7 })
    const { executionId, startAt } = result
    const suspension = {
      suspendedAt: expect.any(String),
      reason: 'over limit',
      suspendedStepIndex: 1,
      stepId: 'ask',
      data: { amount: 7 },
    }
    expect(result).toEqual({
      executionId,
      startAt,
      endAt: null,
      status: 'suspended',
      result: null,
      suspension,
    })
    const record = await process.detail(executionId)
    expect(record).toMatchObject({ status: 'suspended', suspension })
    expect(record).not.toHaveProperty('endedAt')
    expect(await process.steps(executionId)).toEqual(['before completed 1', 'ask suspended 1'])
    expect((await process.events(executionId)).slice(3)).toEqual([
      { type: 'step-start', from: 'ask', stepIndex: 1, stepType: 'andThen', attempt: 1, input: 7 },
      {
        type: 'workflow-suspended',
        reason: 'over limit',
        stepId: 'ask',
        stepIndex: 1,
        data: { amount: 7 },
        resumeSchema: expect.objectContaining({ properties: { ok: { type: 'boolean' } } }),
      },
      { type: 'workflow-result', startAt, endAt: null, status: 'suspended', suspension, result: null },
    ])
    const state = await process.engine.queries.state(await process.engine.executions.find({ executionId }))
    const { suspendedStepIndex: stepIndex, ...rest } = suspension
    expect(state).toEqual({
      executionId,
      workflowId: 'asks',
      status: 'suspended',
      startAt,
      input: { n: 7 },
      context: {},
      suspension: { ...rest, stepIndex },
    })
  })

  it('reason and data are optional', async () => {
    const step = andThen({ id: 'a', execute: ({ suspend, resumeData }): unknown => resumeData ?? suspend() })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { suspension, executionId } = await process.execute('w')
    expect(suspension).toMatchObject({ reason: 'Suspended by the step' })
    expect(suspension).not.toHaveProperty('data')
    expect((await process.events(executionId))[2]).not.toHaveProperty('data')
  })

  it('a step that catches the signal of suspend is suspended all the same', async () => {
    const step = andThen({
      id: 'a',
      execute: async ({ suspend, resumeData }) => {
        if (resumeData) return 'resumed'
        try {
          await Promise.resolve()
          return suspend('caught')
        } catch {
          return 'went on'
        } finally {
          await sleep(1)
        }
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { status, suspension, executionId } = await process.execute('w')
    expect([status, suspension?.reason]).toEqual(['suspended', 'caught'])
    expect((await process.resume(executionId, true)).result).toBe('resumed')
  })

  it('suspend data is validated by its schema, and defaults are applied', async () => {
    const suspendSchema = z.object({ n: z.number(), unit: z.string().default('kg') })
    const asks = (id: string, n: unknown) =>
      createWorkflow(
        { id, suspendSchema },
        andThen({ id: 'a', execute: ({ suspend }): number => suspend('why', { n }) }),
      )
    const process = await engines.start([asks('fits', 1), asks('does-not', 'x')])
    expect((await process.execute('fits')).suspension?.data).toEqual({ n: 1, unit: 'kg' })
    expect((await process.executeFailing('does-not')).error?.message).toMatch(/^suspend data\.n: /)
  })

  it('a suspension is not a failed attempt', async () => {
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 0 },
      timeoutMs: 1000,
      execute: ({ suspend, resumeData, attempt }): unknown => {
        if (attempt === 1) throw new Error('first')
        return resumeData ?? suspend('second')
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId, suspension } = await process.execute('w')
    expect(suspension?.reason).toBe('second')
    expect((await process.resume(executionId, 'go')).result).toBe('go')
    expect((await process.story(executionId)).filter((line) => line === 'step-error a')).toHaveLength(2)
  })
}
