import { expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { StepContext } from '../../../src/workflow/step-context.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { giving } from './sample-steps.ts'

/** Values that are not JSON, are too long, or do not match their schema. */
export function valueTests(engines: Engines): void {
  it.each([
    ['a Date', () => ({ when: [new Date(0)] }), 'result.when[0]: a Date is not JSON'],
    ['a function', () => ({ f: () => 1 }), 'result.f: a function is not JSON'],
    ['NaN', () => [1, Number.NaN], 'result[1]: NaN is not JSON'],
    ['a Map', () => new Map(), 'result: a Map is not JSON'],
    ['a bigint', () => ({ n: 1n }), 'result.n: a bigint is not JSON'],
  ])(
    'a result with %s fails its step with the path of the value',
    async (_, execute: () => unknown, message) => {
      const process = await engines.start([createWorkflow({ id: 'w' }).andThen({ id: 'a', execute })])
      expect((await process.executeFailing('w')).error).toMatchObject({
        message,
        name: 'NotJsonError',
        stepId: 'a',
      })
    },
  )

  // a step that is not type-checked may pass anything
  const dated: unknown = { at: new Date(0) }
  const aSet: unknown = new Set()
  it.each([
    [
      'suspend data',
      ({ suspend }: StepContext) => suspend('why', dated),
      'suspend data.at: a Date is not JSON',
    ],
    ['event payload', ({ emit }: StepContext) => emit('x', aSet), 'event payload: a Set is not JSON'],
  ])('%s that is not JSON fails its step', async (_, execute, message) => {
    const process = await engines.start([createWorkflow({ id: 'w' }, andThen({ id: 'a', execute }))])
    expect((await process.executeFailing('w')).error).toMatchObject({ message, stepId: 'a' })
  })

  it.each([
    ['result', () => 'é'.repeat(600)],
    ['suspend data', ({ suspend }: StepContext) => suspend('why', 'é'.repeat(600))],
    ['event payload', ({ emit }: StepContext) => emit('x', 'é'.repeat(600))],
  ])('a %s that is too long fails its step', async (what, execute) => {
    const process = await engines.start([createWorkflow({ id: 'w' }, andThen({ id: 'a', execute }))], {
      resultBytes: 1000,
    })
    const { error } = await process.executeFailing('w')
    expect(error?.message).toBe(`The ${what} is 1202 bytes of JSON; the limit is 1000`)
  })

  it('a result of the maximum length is accepted', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 'é'.repeat(499)))], {
      resultBytes: 1000,
    })
    expect((await process.execute('w')).result).toHaveLength(499)
  })

  it('input and output of a step are validated by their schemas, and defaults are applied', async () => {
    const schemas = createWorkflow({ id: 'w' }).andThen({
      id: 'a',
      inputSchema: z.object({ n: z.coerce.number(), size: z.number().default(3) }),
      outputSchema: z.object({ sum: z.number(), unit: z.string().default('kg') }),
      execute: ({ data }) => ({ sum: data.n + data.size }),
    })
    const process = await engines.start([schemas])
    expect((await process.execute('w', { n: '4' })).result).toEqual({ sum: 7, unit: 'kg' })
  })

  it.each([
    ['input', z.object({ n: z.number() }), undefined, 'data.n: Required'],
    ['output', undefined, z.object({ m: z.number() }), 'result.m: Required'],
  ])(
    'an invalid %s fails its step with the field in the message',
    async (_, inputSchema, outputSchema, message) => {
      const schemas = { ...(inputSchema && { inputSchema }), ...(outputSchema && { outputSchema }) }
      const process = await engines.start([
        createWorkflow({ id: 'w' }).andThen({ id: 'a', ...schemas, execute: () => ({}) as { m: number } }),
      ])
      const record = await process.executeFailing('w')
      expect(record.error).toMatchObject({ message, name: 'SchemaMismatchError', stepId: 'a' })
    },
  )

  it('the result is validated by the result schema, and an invalid one fails the execution', async () => {
    const resultSchema = z.object({ n: z.number(), unit: z.string().default('kg') })
    const workflow = (id: string, value: object) =>
      createWorkflow({ id, resultSchema }, giving('a', value as { n: number }))
    const process = await engines.start([workflow('fits', { n: 1 }), workflow('does-not', { n: 'x' })])
    expect((await process.execute('fits')).result).toEqual({ n: 1, unit: 'kg' })
    const record = await process.executeFailing('does-not')
    expect(record.error).toMatchObject({
      message: expect.stringMatching(/^result\.n: /) as string,
      stepId: 'a',
    })
    expect(await process.steps(record.id)).toEqual(['a completed 1'])
  })
}
