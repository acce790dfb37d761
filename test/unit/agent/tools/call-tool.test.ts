import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { callTool } from '../../../../src/agent/tools/call-tool.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import type { ToolContext } from '../../../../src/agent/tools/tool.ts'
import { UNRECORDED_CALLS } from '../../../../src/step/unrecorded-calls.ts'

const context: ToolContext = {
  signal: new AbortController().signal,
  context: { tenant: 'acme' },
  userId: 'u1',
  conversationId: undefined,
  logger: pino({ enabled: false }),
  step: UNRECORDED_CALLS,
  write: () => undefined,
}

const weather = createTool({
  name: 'getWeather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: ({ city, days }) => {
    return { celsius: city.length + days }
  },
})

describe('callTool', () => {
  test('passes the transformed input and the context', async () => {
    expect(await callTool(weather, { city: 'Rome' }, context)).toEqual({ celsius: 5 })
    const whoami = createTool({
      name: 'whoami',
      description: 'The caller',
      inputSchema: z.object({}),
      execute: (_input, { userId, context }) => ({ userId, tenant: context['tenant'] }),
    })
    expect(await callTool(whoami, {}, context)).toEqual({ userId: 'u1', tenant: 'acme' })
  })

  test('rejects invalid input before the function is called', async () => {
    await expect(callTool(weather, { days: 'two' }, context)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/input\.city: Required.*input\.days/),
    })
  })

  test('rejects a result that does not match the output schema or is not JSON', async () => {
    const wrong = createTool({
      name: 'wrong',
      description: 'Gives what it should not',
      inputSchema: z.object({}),
      outputSchema: z.object({ celsius: z.number() }),
      // @ts-expect-error -- a string instead of a number
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
      execute: (): unknown => ({ at: new Date(0) }),
    })
    await expect(callTool(dated, {}, context)).rejects.toThrow('result.at: a Date is not JSON')
  })

  test('refuses recorded calls where nothing is recorded', async () => {
    const long = createTool({
      name: 'long',
      description: 'Has parts',
      inputSchema: z.object({}),
      execute: (_input, { step }) => step.run('part', () => 1),
    })
    await expect(callTool(long, {}, context)).rejects.toThrow(
      'step.run("part") is not available: this call of the tool is not recorded. Recorded are the calls by an answer with resumable: true',
    )
    expect(() => context.step.metadata({ plan: 'pro' })).toThrow('step.metadata() is not available')
  })

  test('rethrows the error of the tool', async () => {
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
