import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { hasToolCall } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentConfig } from '../../../../src/agent/agent.ts'
import type { Generated } from '../../../../src/agent/answer/generated.ts'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import type { PreparedStepInput, StopCondition } from '../../../../src/agent/loop-options.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import { scriptedModel } from '../../../../src/testing/scripted-model.ts'
import { generate, streamAnswer, type TestCall } from '../../../support/model/generate.ts'
import { MemoryCalls } from '../../../support/model/memory-calls.ts'

const tool = (name: string) =>
  createTool({ name, description: name, inputSchema: z.object({}), execute: () => `${name} result` })
const tools = [tool('search'), tool('done')]
const calling = (...names: string[]) => ({
  toolCalls: names.map((toolName) => ({ toolName, input: {} })),
})
const agentWith = (config: Partial<AgentConfig>) =>
  createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', tools, ...config })

const namesOf = (call: LanguageModelV3CallOptions | undefined) => call?.tools?.map(({ name }) => name)
const systemOf = (call: LanguageModelV3CallOptions | undefined) =>
  call?.prompt.find(({ role }) => role === 'system')?.content

async function streamed(agent: ReturnType<typeof agentWith>, call: TestCall): Promise<Generated> {
  const stream = await streamAnswer(agent, call)
  for await (const _ of stream.parts());
  return stream.end()
}

describe.each([
  ['generated', generate],
  ['streamed', streamed],
])('a %s answer', (_, answer) => {
  const ask = (config: Partial<AgentConfig>, call: Partial<TestCall> = {}) =>
    answer(agentWith(config), { prompt: 'Hi', ...call })

  test('calls the model with the toolChoice and activeTools of the agent', async () => {
    const model = scriptedModel([calling('done'), calling('done')])
    await ask({
      model,
      toolChoice: { type: 'tool', toolName: 'done' },
      activeTools: ['done'],
      stopWhen: ({ steps }) => steps.length === 2,
    })
    expect(model.calls.map(({ toolChoice }) => toolChoice)).toEqual([
      { type: 'tool', toolName: 'done' },
      { type: 'tool', toolName: 'done' },
    ])
    expect(model.calls.map(namesOf)).toEqual([['done'], ['done']])
  })

  test('uses toolChoice and activeTools of a request instead', async () => {
    const model = scriptedModel(['ok'])
    const settings = { toolChoice: 'none', activeTools: ['search'] } as const
    await ask({ model, toolChoice: 'required' }, { settings })
    expect(model.calls[0]?.toolChoice).toEqual({ type: 'none' })
    expect(namesOf(model.calls[0])).toEqual(['search'])
  })

  test('without the options is sent as before', async () => {
    const model = scriptedModel(['ok'])
    await ask({ model })
    expect(model.calls[0]?.toolChoice).toEqual({ type: 'auto' })
    expect(namesOf(model.calls[0])).toEqual(['search', 'done'])
  })

  test('ends when a condition of stopWhen is met, without a text', async () => {
    const model = scriptedModel([calling('search'), calling('done'), 'too late'])
    const { text, finishReason, steps } = await ask({
      model,
      stopWhen: [({ steps: { length } }) => length > 5, hasToolCall('done')],
    })
    expect({ text, finishReason }).toEqual({ text: '', finishReason: 'tool-calls' })
    expect(steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([
      'search result',
      'done result',
    ])
  })

  test('ends by maxSteps as before when no condition is met', async () => {
    const model = scriptedModel([calling('search')], { repeatLast: true })
    const never: StopCondition = () => false
    await expect(ask({ model, maxSteps: 2, stopWhen: never })).rejects.toThrow(
      'Agent "helper" did not answer within 2 steps',
    )
  })

  test('with a schema fails when stopWhen ends it, and says so', async () => {
    const model = scriptedModel([calling('done')])
    const schema = z.object({ sum: z.number() })
    await expect(ask({ model, stopWhen: hasToolCall('done') }, { schema })).rejects.toThrow(
      'stopWhen ended agent "helper" before it answered',
    )
  })

  test('asks prepareStep before each model call', async () => {
    const seen: PreparedStepInput[] = []
    const model = scriptedModel([calling('search'), 'ok'])
    await ask({ model, prepareStep: (step) => void seen.push({ ...step, messages: [...step.messages] }) })
    expect(seen).toMatchObject([
      { stepNumber: 0, steps: [], instructions: 'Help.', messages: [{ role: 'user', content: 'Hi' }] },
      {
        stepNumber: 1,
        steps: [{ toolCalls: [{ toolName: 'search' }], toolResults: [{ output: 'search result' }] }],
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }],
        model: { provider: 'scripted', modelId: 'scripted' },
      },
    ])
  })

  test('takes toolChoice, tools, instructions and messages of a step from prepareStep', async () => {
    const model = scriptedModel([calling('search'), calling('search'), 'ok'])
    await ask({
      model,
      prepareStep: async ({ stepNumber, messages }) => {
        if (stepNumber === 0) return { toolChoice: 'required', instructions: 'Search first.' }
        if (stepNumber === 1) return { system: 'Search again.', temperature: 0.5 }
        return { activeTools: [], instructions: 'Answer.', messages: messages.slice(-2) }
      },
    })
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto', 'auto'])
    expect(model.calls.map(systemOf)).toEqual(['Search first.', 'Search again.', 'Answer.'])
    expect(model.calls.map(({ temperature }) => temperature)).toEqual([undefined, 0.5, undefined])
    expect(model.calls[2]?.tools ?? []).toEqual([])
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual(['system', 'assistant', 'tool'])
  })

  test('is given by the model that prepareStep chooses, whose usage has its name', async () => {
    const [small, large] = [
      scriptedModel([calling('search'), 'small'], { modelId: 'small' }),
      scriptedModel([calling('search'), 'large'], { modelId: 'large' }),
    ]
    const used: string[] = []
    const models: string[] = []
    const { text, model } = await ask(
      { model: small, prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { model: large } : {}) },
      {
        onUsage: (_usage, { modelId }) => used.push(modelId),
        onModel: ({ modelId }) => models.push(modelId),
      },
    )
    expect({ text, modelId: model.modelId }).toEqual({ text: 'small', modelId: 'small' })
    expect(used).toEqual(['small', 'large', 'small'])
    expect(models).toEqual(['large', 'small'])
  })

  test('has the price and the guardrails of the model that prepareStep chooses', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 }
    const large = scriptedModel([{ text: 'secret', usage }], { modelId: 'large' })
    const answered = await ask(
      {
        model: scriptedModel([]),
        prepareStep: ({ model }) => (model.modelId === 'large' ? {} : { model: large }),
        guardrails: { output: [({ text }) => ({ replace: (text ?? '').replace('secret', '…') })] },
      },
      { prices: { 'scripted/large': { input: 2, output: 2 } } },
    )
    expect(answered).toMatchObject({ text: '…', usage: { costUsd: 2 } })
  })

  test('fails with the name of the option when a function throws', async () => {
    const model = () => scriptedModel([calling('search'), 'ok'])
    const fail = () => {
      throw new Error('no luck')
    }
    const failures = [
      ask({ model: model(), prepareStep: fail }),
      ask({ model: model(), stopWhen: async () => fail() }),
    ]
    await expect(failures[0]).rejects.toMatchObject({
      code: 'execution_failed',
      message: 'The function "prepareStep" of agent "helper" failed',
      cause: { message: 'no luck' },
    })
    await expect(failures[1]).rejects.toMatchObject({
      code: 'execution_failed',
      message: 'The function "stopWhen" of agent "helper" failed',
      cause: { message: 'no luck' },
    })
  })

  test.each([
    [{ model: 'nobody/x' }, 'model "nobody/x" names an unknown provider'],
    [{ toolChoice: 'maybe' }, "toolChoice must be 'auto', 'none', 'required' or { type: 'tool', toolName }"],
    [{ activeTools: 'search' }, 'activeTools must be an array of names of tools'],
  ])('fails when prepareStep returns %j', async (returned, problem) => {
    const prepareStep = () => returned as never
    await expect(ask({ model: scriptedModel(['ok']), prepareStep })).rejects.toThrow(
      `The function "prepareStep" of agent "helper" returned an invalid value: ${problem}`,
    )
  })

  test('fails when prepareStep names a tool that the agent lacks, or a model without a key', async () => {
    const model = scriptedModel(['ok'], { repeatLast: true })
    await expect(ask({ model, prepareStep: () => ({ activeTools: ['find'] }) })).rejects.toThrow(
      'The function "prepareStep" of agent "helper": activeTools: the agent has no tool "find"; its tools are search, done',
    )
    await expect(
      ask({ model, prepareStep: () => ({ model: 'openai/gpt-4.1-mini' }) }, { env: {} }),
    ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('OPENAI_API_KEY') })
  })
})

describe('an answer that is continued after a crash', () => {
  test('has the recorded answers of all its models, in their order', async () => {
    const calls = new MemoryCalls()
    const run = (texts: readonly string[]) => {
      const large = scriptedModel([...texts], { modelId: 'large' })
      const agent = agentWith({
        model: scriptedModel(texts.length === 0 ? [] : [calling('search')], { modelId: 'small' }),
        prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { model: large } : undefined),
      })
      return generate(agent, { prompt: 'Hi', calls })
    }
    expect((await run(['large answer'])).text).toBe('large answer')
    // without scripts, a call of a model would fail
    expect(await run([])).toMatchObject({ text: 'large answer', model: { modelId: 'large' } })
  })
})

describe('an answer that waited', () => {
  test('shows stopWhen and prepareStep the steps before, and counts them', async () => {
    const counts: number[] = []
    const numbers: number[] = []
    const model = scriptedModel([calling('search'), calling('search'), 'ok'])
    const agent = agentWith({
      model,
      stopWhen: ({ steps }) => {
        counts.push(steps.length)
        return steps.some(({ toolCalls }) => toolCalls.some(({ toolName }) => toolName === 'done'))
      },
      prepareStep: ({ stepNumber, steps }) => {
        numbers.push(stepNumber)
        expect(steps[0]?.toolResults).toMatchObject([{ toolName: 'search', output: 'found' }])
        return undefined
      },
    })
    const usage = {
      inputTokens: 1,
      outputTokens: 1,
      totalTokens: 2,
      cachedInputTokens: null,
      reasoningTokens: 0,
    }
    const call = { toolCallId: 'c1', toolName: 'search' }
    const steps = [
      {
        text: '',
        finishReason: 'tool-calls',
        usage: { ...usage, costUsd: null },
        toolCalls: [{ ...call, input: {} }],
        toolResults: [{ ...call, output: 'found' }],
      },
    ] as const
    const resumed = {
      steps,
      usage: steps[0].usage,
      messages: [],
      executed: new Set<string>(),
      subAgents: [],
      responses: { approvals: [], toolOutputs: [] },
    }
    await generate(agent, { prompt: 'Hi', resumed })
    expect(numbers).toEqual([1, 2, 3])
    expect(counts).toEqual([2, 3])
  })
})

describe('the declaration of an agent', () => {
  test.each<[Record<string, unknown>, string]>([
    [
      { toolChoice: 'sometimes' },
      "toolChoice must be 'auto', 'none', 'required' or { type: 'tool', toolName }",
    ],
    [
      { toolChoice: { type: 'tool' } },
      "toolChoice must be 'auto', 'none', 'required' or { type: 'tool', toolName }",
    ],
    [
      { toolChoice: { type: 'tool', toolName: 'find' } },
      'toolChoice: the agent has no tool "find"; its tools are search, done',
    ],
    [
      { toolChoice: { type: 'tool', toolName: 'search' }, activeTools: ['done'] },
      'toolChoice: the tool "search" must be in activeTools',
    ],
    [{ activeTools: 'search' }, 'activeTools must be an array of names of tools'],
    [{ activeTools: ['find'] }, 'activeTools: the agent has no tool "find"; its tools are search, done'],
    [{ tools: [], activeTools: ['find'] }, 'activeTools: the agent has no tool "find"; it has none'],
    [{ stopWhen: 3 }, 'stopWhen must be a function, or a list of functions'],
    [{ stopWhen: [3] }, 'stopWhen must be a function, or a list of functions'],
    [{ prepareStep: {} }, 'prepareStep must be a function'],
  ])('with %j has the problem', (options, problem) => {
    expect(agentWith(options as Partial<AgentConfig>).problems).toEqual([problem])
  })

  test('may name sub-agents, the working memory, and tools that a function returns', () => {
    const helper = agentWith({ id: 'aid' })
    const valid: Partial<AgentConfig>[] = [
      { subAgents: [helper], toolChoice: { type: 'tool', toolName: 'ask_aid' } },
      { memory: { workingMemory: z.object({}) }, activeTools: ['update_working_memory'] },
      { tools: () => [], activeTools: ['later'] },
    ]
    for (const config of valid) expect(agentWith(config).problems).toEqual([])
  })

  test('keeps the options in a copy', () => {
    const options = {
      toolChoice: 'required',
      activeTools: ['done'],
      stopWhen: hasToolCall('done'),
      prepareStep: () => undefined,
    } as const
    expect(createAgent({ ...agentWith(options) })).toMatchObject(options)
  })
})
