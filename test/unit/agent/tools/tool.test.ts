import { pino } from 'pino'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { callTool } from '../../../../src/agent/tools/call-tool.ts'
import { createTool, type ToolContext } from '../../../../src/agent/tools/tool.ts'

const context: ToolContext = {
  signal: new AbortController().signal,
  context: { tenant: 'acme' },
  userId: 'u1',
  conversationId: undefined,
  logger: pino({ enabled: false }),
}

const weather = createTool({
  name: 'getWeather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: ({ city, days }) => {
    expectTypeOf(city).toEqualTypeOf<string>()
    expectTypeOf(days).toEqualTypeOf<number>()
    return { celsius: city.length + days }
  },
})

describe('createTool', () => {
  test('the value cannot be changed', () => {
    expect(() => Object.assign(weather, { name: 'other' })).toThrow(TypeError)
    expect(weather.problems).toEqual([])
  })

  test('types of input and result come from the schemas', () => {
    createTool({
      name: 'x',
      description: 'x',
      inputSchema: z.object({ n: z.number() }),
      outputSchema: z.object({ text: z.string() }),
      // @ts-expect-error -- the output schema asks for a text
      execute: ({ n }) => ({ text: n }),
    })
    const free = createTool({
      name: 'y',
      description: 'y',
      inputSchema: z.object({}),
      execute: async () => 5,
    })
    expectTypeOf(free.execute({}, context)).toEqualTypeOf<number | Promise<number>>()
  })

  test('tells every rule the declaration breaks', () => {
    const tool = createTool({
      name: 'get weather',
      description: ' ',
      inputSchema: { city: z.string() },
      // @ts-expect-error -- left out
      execute: undefined,
    })
    expect(tool.problems).toEqual([
      expect.stringContaining('the name must be a letter'),
      expect.stringContaining('a description is required'),
      expect.stringContaining('inputSchema must be'),
      'execute must be a function',
    ])
  })
})

describe('running a tool', () => {
  test('gives the input as its schema made it, and the context', async () => {
    expect(await callTool(weather, { city: 'Rome' }, context)).toEqual({ celsius: 5 })
    const whoami = createTool({
      name: 'whoami',
      description: 'The caller',
      inputSchema: z.object({}),
      execute: (_input, { userId, context }) => ({ userId, tenant: context['tenant'] }),
    })
    expect(await callTool(whoami, {}, context)).toEqual({ userId: 'u1', tenant: 'acme' })
  })

  test('refuses input that does not fit, before the function is called', async () => {
    await expect(callTool(weather, { days: 'two' }, context)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/input\.city: Required.*input\.days/),
    })
  })

  test('refuses a result that does not fit the output schema, or is not JSON', async () => {
    const wrong = createTool({
      name: 'wrong',
      description: 'Gives what it should not',
      inputSchema: z.object({}),
      outputSchema: z.object({ celsius: z.number() }),
      // @ts-expect-error -- a text where a number belongs
      execute: () => ({ celsius: 'hot' }),
    })
    await expect(callTool(wrong, {}, context)).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('result.celsius'),
    })
    const dated = createTool({
      name: 'dated',
      description: 'A date',
      inputSchema: z.object({}),
      execute: () => ({ at: new Date(0) }),
    })
    await expect(callTool(dated, {}, context)).rejects.toThrow('result.at: a Date is not JSON')
  })

  test('passes on what the tool throws', async () => {
    const failing = createTool({
      name: 'failing',
      description: 'Fails',
      inputSchema: z.object({}),
      execute: () => {
        throw new RangeError('no such row')
      },
    })
    await expect(callTool(failing, {}, context)).rejects.toThrow(RangeError)
  })
})
