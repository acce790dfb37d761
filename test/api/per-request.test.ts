import { createAgent, createTool, createWorkflow, type AgentConfig } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { refusal, completion, streamed } from '../support/model/model-provider.ts'
import { onlyModelProvider } from '../support/model/model-env.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const provider = onlyModelProvider()
const answering = (text: string) => scriptedModel([text], { modelId: text, repeatLast: true })
const [small, large] = [answering('small'), answering('large')]
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  execute: () => 'seen',
})
const seen: unknown[] = []

const flexible = createAgent({
  id: 'flexible',
  name: 'Flexible',
  instructions: (request) => {
    seen.push(request)
    return `Answer in ${request.context['language'] === 'German' ? 'German' : 'English'}.`
  },
  model: async ({ input }) => (input.includes('hard') ? large : small),
  tools: ({ context }) => (context['tools'] === true ? [look] : []),
})
const manager = createAgent({
  id: 'manager',
  name: 'Manager',
  instructions: 'Ask.',
  model: scriptedModel(
    [{ toolCalls: [{ toolName: 'ask_flexible', input: { prompt: 'a hard one' } }] }, 'ok'],
    {
      repeatLast: true,
    },
  ),
  subAgents: [flexible],
})
const broken = (id: string, options: Partial<AgentConfig>) =>
  createAgent({ id, name: id, instructions: 'x', model: small, ...options })
const consult = createWorkflow({ id: 'consult', name: 'Consult' }).andAgent({
  id: 'ask',
  agent: flexible,
  prompt: 'a hard question',
})
const backup = answering('backup')
const listed = createAgent({
  id: 'listed',
  name: 'Listed',
  instructions: 'x',
  model: ['openai/main', backup],
})
const three = createAgent({
  id: 'three',
  name: 'Three',
  instructions: 'x',
  model: ['openai/main', 'anthropic/no-key', backup],
})
const agents = [
  flexible,
  manager,
  listed,
  three,
  broken('throwing', { instructions: () => Promise.reject(new Error('no such tenant')) }),
  broken('blank', { instructions: () => ' ' }),
  broken('misnamed', { model: () => 'openai' as 'openai/x' }),
  broken('empty', { model: () => [] }),
  broken('untooled', { tools: () => undefined as unknown as [] }),
]
const server = new TestServer({ agents, workflows: [consult] })
afterAll(() => server.close())

interface Answer {
  readonly text: string
  readonly model: string
  readonly id: string
  readonly traceId: string
}
const ask = (agent: string, input: unknown, options: object = {}) =>
  server.post(`/agents/${agent}/text`, { input, options })
const text = (agent: string, input: unknown, options: object = {}) =>
  dataOf<Answer>(ask(agent, input, options))
const busy = () => refusal(503, 'busy', { 'retry-after-ms': '1' })
const spansOf = async (traceId: string) => {
  const { spans } = await dataOf<{ spans: { name: string; attributes: Record<string, unknown> }[] }>(
    server.request(`/observability/traces/${traceId}`),
  )
  return spans
}

describe('options that are functions', () => {
  beforeEach(() => void seen.splice(0))

  it('receive the request, and apply to it alone', async () => {
    const options = { context: { language: 'German' }, conversationId: 'c-1' }
    expect(await text('flexible', 'Hi', options)).toMatchObject({ text: 'small', model: 'scripted/small' })
    expect(seen).toEqual([
      { user: undefined, context: { language: 'German' }, conversationId: 'c-1', input: 'Hi' },
    ])
    expect(small.calls.at(-1)?.prompt[0]).toEqual({ role: 'system', content: 'Answer in German.' })
    expect(small.calls.at(-1)?.tools ?? []).toEqual([])
    const asked = [{ role: 'user', parts: [{ type: 'text', text: 'a hard one' }] }]
    expect((await text('flexible', asked, { context: { tools: true } })).text).toBe('large')
    expect(large.calls.at(-1)?.prompt[0]).toEqual({ role: 'system', content: 'Answer in English.' })
    expect(large.calls.at(-1)?.tools).toMatchObject([{ name: 'look' }])
  })

  it('apply to streams, chats, objects, sub-agents and steps', async () => {
    const input = 'a hard one'
    const stream = await messagesOf(server.post('/agents/flexible/stream', { input }))
    expect(stream.at(-1)?.event).toMatchObject({ type: 'finish', model: 'scripted/large' })
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: input }] }]
    const chat = await messagesOf(server.post('/agents/flexible/chat', { id: 'talk', messages }))
    expect(JSON.stringify(chat)).toContain('scripted/large')
    expect(seen.at(-1)).toMatchObject({ input, conversationId: 'talk' })
    await ask('manager', 'go', { context: { language: 'Dutch' } })
    expect(seen.at(-1)).toMatchObject({ input, context: { language: 'Dutch' } })
    const { result } = await server.execute('consult')
    expect(result).toEqual({ text: 'large' })
  })

  it.each([
    ['throwing', 'The function "instructions" of agent "throwing" failed'],
    ['blank', 'instructions must be a string that is not blank'],
    ['misnamed', 'model "openai" must have the form "provider/model"'],
    ['empty', 'model must not be an empty list'],
    ['untooled', 'tools must be an array'],
  ])('that fail or return nonsense are a 500: %s', async (agent, message) => {
    const refused = await refusalOf(ask(agent, 'Hi'), 500)
    expect(JSON.stringify(refused)).toContain(message.replaceAll('"', String.raw`\"`))
    expect(JSON.stringify(refused)).not.toContain('tenant')
  })

  it('that throw have their error in the log and in the trace', async () => {
    server.logs.length = 0
    const parent = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${parent}-b7ad6b7169203331-01`
    await server.post('/agents/throwing/text', { input: 'Hi' }, { traceparent })
    expect(JSON.stringify(server.logs)).toContain('no such tenant')
    expect(JSON.stringify(await spansOf(parent))).toContain('no such tenant')
  })

  it('are described as functions', async () => {
    expect(await dataOf(server.request('/agents/flexible'))).toMatchObject({
      instructions: null,
      model: null,
      provider: null,
      tools: [],
      perRequest: ['instructions', 'model', 'tools'],
    })
    const card: unknown = await (await server.request('/agents/flexible/card')).json()
    expect(card).toMatchObject({ skills: [{ id: 'flexible' }] })
    expect(await dataOf(server.request('/tools'))).toEqual([])
  })
})

describe('a list of models', () => {
  it('calls the next one when a provider is busy after its retries, and names the one that answered', async () => {
    provider.script(busy())
    const answer = await text('listed', 'Hi')
    expect(answer).toMatchObject({ text: 'backup', model: 'scripted/backup' })
    expect(provider.calls).toHaveLength(3)
    const spans = await spansOf(answer.traceId)
    expect(spans.find(({ name }) => name.startsWith('invoke_agent'))?.attributes).toMatchObject({
      'gen_ai.request.model': 'backup',
    })
    const [run] = await dataOf<object[]>(server.request('/agents/listed/history?limit=1'))
    expect(run).toMatchObject({ model: 'scripted/backup', status: 'completed' })
  })

  it('leaves out models without a key', async () => {
    provider.script(busy())
    expect(await text('three', 'Hi')).toMatchObject({ text: 'backup' })
  })

  it('calls only the first one while it answers, and does not hide its refusals', async () => {
    provider.script(completion('main'))
    expect(await text('listed', 'Hi')).toMatchObject({ text: 'main', model: 'openai/main' })
    provider.script(refusal(400, 'bad request'))
    expect((await ask('listed', 'Hi')).status).toBe(500)
  })

  it('changes the model of a stream before its first chunk, not later', async () => {
    const stream = async () =>
      (await messagesOf(server.post('/agents/listed/stream', { input: 'Hi' }))).map((m) => m.event)
    provider.script({ kind: 'stream', chunks: [], end: 'disconnect' })
    expect((await stream()).at(-1)).toMatchObject({ type: 'finish', model: 'scripted/backup' })
    provider.script(streamed(['one'], 'disconnect'))
    expect((await stream()).at(-1)).toMatchObject({ type: 'error' })
    provider.script(streamed(['one', ' two']))
    expect((await stream()).at(-1)).toMatchObject({ type: 'finish', model: 'openai/main' })
  })

  it('is described in order', async () => {
    expect(await dataOf(server.request('/agents/listed'))).toMatchObject({
      model: 'main',
      provider: 'openai',
      fallbackModels: ['scripted/backup'],
      perRequest: [],
    })
  })
})
