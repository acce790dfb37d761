import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../../../src/agent/create-agent.ts'
import type { Agent } from '../../../../../src/agent/agent.ts'
import { createTool } from '../../../../../src/agent/tools/create-tool.ts'
import { scriptedModel } from '../../../../../src/testing/scripted-model.ts'
import { AppError } from '../../../../../src/lib/errors.ts'
import { generate, streamAnswer } from '../../../../support/model/generate.ts'
import { MemoryCalls } from '../../../../support/model/memory-calls.ts'

const usage = { inputTokens: 10, outputTokens: 5 }
const script = () => [
  { reasoning: 'hm', text: 'Looking. ', toolCalls: [call('Oslo'), call('Rome')], usage },
  { toolCalls: [{ toolName: 'fail', input: {} }], usage },
  { text: 'It is warm.', usage },
]
const call = (city: string) => ({ toolName: 'weather', input: { city } })

function setUp() {
  const keys: string[] = []
  const tools = [
    createTool({
      name: 'weather',
      description: 'The weather',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }, { idempotencyKey }) => {
        keys.push(idempotencyKey ?? '')
        return { city, celsius: 21 }
      },
    }),
    createTool({
      name: 'fail',
      description: 'Fails',
      inputSchema: { type: 'object' },
      execute: (): string => {
        keys.push('fail')
        throw new AppError('conflict', 'No weather today')
      },
    }),
  ]
  const model = scriptedModel(script())
  const agent = createAgent({ id: 'a', name: 'A', instructions: 'Help.', model, tools })
  return { agent, model, keys, calls: new MemoryCalls() }
}

const options = (calls: MemoryCalls) => ({
  prompt: 'How warm?',
  env: {},
  production: false,
  calls,
  runId: 'run',
})

const ROADS = {
  generated: (agent: Agent, calls: MemoryCalls) => generate(agent, options(calls)),
  streamed: async (agent: Agent, calls: MemoryCalls) => {
    const stream = await streamAnswer(agent, options(calls))
    for await (const part of stream.parts()) if (part.type === 'error') break
    return stream.end()
  },
}

describe.each(['generated', 'streamed'] as const)('a %s answer with recorded calls', (road) => {
  test.each(['generated', 'streamed'] as const)('is the same from its record, %s', async (second) => {
    const { agent, model, keys, calls } = setUp()
    const first = await ROADS[road](agent, calls)
    expect(first).toMatchObject({ text: 'It is warm.', usage: { inputTokens: 30, outputTokens: 15 } })
    expect([...calls.entries.keys()]).toHaveLength(6)
    const again = await ROADS[second](agent, calls)
    expect(again).toEqual(first)
    expect(model.calls).toHaveLength(3)
    expect(keys).toEqual(['run:call_1_1', 'run:call_1_2', 'fail'])
  })

  test('continues behind any recorded call', async () => {
    const { agent, calls } = setUp()
    const complete = await ROADS[road](agent, calls)
    const entries = [...calls.entries]
    for (let kept = 0; kept < entries.length; kept++) {
      const next = setUp()
      for (const [key, value] of entries.slice(0, kept)) next.calls.entries.set(key, value)
      const answers = entries.slice(0, kept).filter(([key]) => key.startsWith('model-')).length
      const model = scriptedModel(script().slice(answers))
      // the ids of the scripted calls are numbered by the calls of the model
      const agentOfRest = createAgent({ ...agent, model, tools: next.agent.tools })
      const { text, usage: total } = await ROADS[road](agentOfRest, next.calls)
      expect([text, total]).toEqual([complete.text, complete.usage])
      expect(model.calls).toHaveLength(3 - answers)
    }
  })

  test('calls no tool before the answer that requests it is recorded', async () => {
    const { agent, keys, calls } = setUp()
    calls.onRecord = (key) => {
      if (key === 'model-1') throw new AppError('unavailable', 'Owned by another process')
    }
    await expect(ROADS[road](agent, calls)).rejects.toThrow('Owned by another process')
    expect(keys).toEqual([])
  })
})

test('a model that repeats the ids of its tool calls has them recorded apart', async () => {
  const keys: unknown[] = []
  const tool = createTool({
    name: 'weather',
    description: 'The weather',
    inputSchema: { type: 'object' },
    execute: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      return keys.length
    },
  })
  const scripted = scriptedModel([...script().slice(0, 1), ...script().slice(0, 1), 'done'])
  const model = {
    ...scripted,
    doGenerate: async (...args: Parameters<typeof scripted.doGenerate>) => {
      const result = await scripted.doGenerate(...args)
      const content = result.content.map((part) =>
        part.type === 'tool-call' ? { ...part, toolCallId: part.toolCallId.replace(/_\d+_/, '_') } : part,
      )
      return { ...result, content }
    },
  }
  const agent = createAgent({ id: 'a', name: 'A', instructions: 'Help.', model, tools: [tool] })
  const calls = new MemoryCalls()
  await generate(agent, options(calls))
  expect(keys).toEqual(['run:call_1', 'run:call_2', 'run:call_1-2', 'run:call_2-2'])
})
