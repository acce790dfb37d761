import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/lib/async/wake-up.ts'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { messagesOf, readerOf, sseMessages } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const servers: TestServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
function serve(config: ConstructorParameters<typeof TestServer>[0]): TestServer {
  const server = new TestServer(config)
  servers.push(server)
  return server
}

type AgentTools = NonNullable<Parameters<typeof createAgent>[0]['tools']>
type Part = Readonly<Record<string, unknown>> & { readonly type: string }
const partsOf = async (sent: Promise<Response>): Promise<Part[]> =>
  (await messagesOf(sent)).map(({ event }) => event as unknown as Part)
const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const none = z.object({})
const common = { name: 'X', instructions: 'x' }

/** An agent whose model calls a tool once, and then answers. */
const calling = (toolName: string, tools: AgentTools, more: object = {}) =>
  createAgent({
    id: 'clerk',
    ...common,
    tools,
    model: scriptedModel([{ toolCalls: [{ toolName, input: {} }] }, 'Done.'], { repeatLast: true }),
    ...more,
  })
const tool = (name: string, execute: Parameters<typeof createTool>[0]['execute']) =>
  createTool({ name, description: name, inputSchema: none, execute })

const report = tool('report', (_, { write }) => {
  write({ type: 'data-progress', id: 'pages', data: { done: 1 } })
  write({ type: 'data-note', data: 'half', transient: true })
  return 'reported'
})
const steps = createTool({
  name: 'steps',
  description: 'Yields',
  inputSchema: none,
  execute: async function* () {
    yield { done: 1, of: 2 }
    yield { done: 2, of: 2 }
  },
})

describe('a tool that writes data parts', () => {
  const send = (server: TestServer, way: string, body: object = { input: 'Hi' }) =>
    partsOf(Promise.resolve(server.post(`/agents/clerk/${way}`, body)))

  it('sends them to /stream, between its call and its result', async () => {
    const server = serve({ agents: [calling('report', [report])] })
    const parts = await send(server, 'stream')
    const types = parts.map(({ type }) => type)
    const from = types.indexOf('tool-call')
    expect(types.slice(from, from + 4)).toEqual(['tool-call', 'data-progress', 'data-note', 'tool-result'])
    expect(parts[from + 1]).toMatchObject({
      id: 'pages',
      data: { done: 1 },
      agentId: 'clerk',
      toolName: 'report',
      toolCallId: parts[from]?.['toolCallId'],
    })
  })

  it('sends them to /chat, where the AI SDK adds them to the message, without transient ones', async () => {
    const server = serve({ agents: [calling('report', [report])] })
    const chunks = await send(server, 'chat', { id: 'talk', messages: [message] })
    expect(chunks.filter(({ type }) => type.startsWith('data-'))).toEqual([
      { type: 'data-progress', id: 'pages', data: { done: 1 } },
      { type: 'data-note', data: 'half', transient: true },
    ])
    const shown = (await lastMessage(chunks)).parts.map(({ type }) => type)
    expect(shown).toEqual(['step-start', 'tool-report', 'data-progress', 'step-start', 'text'])
  })

  it('records none of them: neither the history nor the conversation has one', async () => {
    const server = serve({ agents: [calling('report', [report])] })
    await send(server, 'chat', { id: 'talk', messages: [message] })
    const runs = await server.request('/agents/clerk/history')
    const stored = await server.request('/agents/clerk/conversations/talk/messages')
    for (const reply of [runs, stored]) {
      expect(reply.status).toBe(200)
      const text = await reply.text()
      expect(text).toContain('reported')
      expect(text).not.toContain('data-')
    }
  })

  it.each([
    ['a type without data-', { type: 'progress', data: 1 }, /type must begin with data-/],
    ['a type that is only data-', { type: 'data-', data: 1 }, /type must begin with data-/],
    ['data that is not JSON', { type: 'data-x', data: { at: new Date() } }, /not JSON: write.data.at/],
    ['an id that is not a string', { type: 'data-x', data: 1, id: 7 }, /id must be a string/],
    ['10 MB', { type: 'data-x', data: 'x'.repeat(10_000_000) }, /maximum is 262144/],
    ['nothing', undefined, /type must begin with data-/],
  ])('gets an error at the call for %s', async (_, part, message) => {
    const errors: unknown[] = []
    const wrong = tool('wrong', (__, { write }) => {
      try {
        write(part as never)
      } catch (error) {
        errors.push(error)
      }
      return 'done'
    })
    const server = serve({ agents: [calling('wrong', [wrong])] })
    const parts = await send(server, 'stream')
    expect(String(errors[0])).toMatch(message)
    expect(parts.some(({ type }) => type.startsWith('data-'))).toBe(false)
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })

  it('gets an error at the call after it has returned, and no later answer has the part', async () => {
    const writes: ((part: { type: 'data-late'; data: number }) => void)[] = []
    const late = tool('late', (_, { write }) => {
      writes.push(write)
      return 'done'
    })
    const server = serve({ agents: [calling('late', [late])] })
    await send(server, 'stream')
    expect(() => writes[0]?.({ type: 'data-late', data: 1 })).toThrow(/"late" has ended/)
    const again = await send(server, 'stream')
    expect(again.map(({ type }) => type)).not.toContain('data-late')
  })

  it('may write where nobody listens: in /text, by its route, and with step.tool', async () => {
    const flow = createWorkflow({
      id: 'flow',
      inputSchema: none,
      run: async ({ step }) => step.tool('call', report, {}),
    })
    const server = serve({ agents: [calling('report', [report])], workflows: [flow] })
    expect(await dataOf(server.post('/agents/clerk/text', { input: 'Hi' }))).toMatchObject({ text: 'Done.' })
    expect(await dataOf(server.post('/tools/report/execute', { input: {} }))).toMatchObject({
      result: 'reported',
    })
    const parts = await partsOf(Promise.resolve(server.post('/workflows/flow/stream', { input: {} })))
    expect(parts.at(-1)).toMatchObject({ status: 'completed', result: 'reported' })
    expect(parts.map(({ type }) => type)).not.toContain('agent-data')
  })

  it('loses the oldest of what a slow reader has not read, and memory stays bounded', async () => {
    const flood = tool('flood', async (_, { write }) => {
      for (let index = 0; index < 100; index++)
        write({ type: 'data-big', data: `${index} ${'x'.repeat(100_000)}` })
      return 'done'
    })
    const server = serve({ agents: [calling('flood', [flood])] })
    const parts = await send(server, 'stream')
    const big = parts.filter(({ type }) => type === 'data-big').map(({ data }) => parseInt(String(data)))
    expect(big.length).toBeLessThan(20)
    expect(big.at(-1)).toBe(99)
    expect(parts.at(-1)).toMatchObject({ type: 'finish' })
  })
})

async function lastMessage(chunks: readonly Part[]): Promise<UIMessage> {
  let last: UIMessage | undefined
  const stream = ReadableStream.from(chunks as unknown as UIMessageChunk[])
  for await (const next of readUIMessageStream({ stream })) last = next
  return last as UIMessage
}

describe('a tool that is a generator', () => {
  it('yields preliminary results to /stream, of which the last one is the result', async () => {
    const server = serve({ agents: [calling('steps', [steps])] })
    const parts = await partsOf(Promise.resolve(server.post('/agents/clerk/stream', { input: 'Hi' })))
    const results = parts.filter(({ type }) => type === 'tool-result')
    expect(results.some(({ preliminary }) => preliminary === true)).toBe(true)
    expect(results.at(-1)).toMatchObject({ output: { done: 2, of: 2 } })
    expect(results.at(-1)?.['preliminary']).toBeUndefined()
  })

  it('yields them to /chat as the AI SDK does, and the model gets the last one only', async () => {
    const gate = createDeferred<void>()
    const gated = tool('steps', async function* () {
      yield { done: 1, of: 2 }
      await gate.promise
      yield { done: 2, of: 2 }
    })
    const agent = calling('steps', [gated])
    const server = serve({ agents: [agent] })
    const reader = readerOf(await server.post('/agents/clerk/chat', { id: 'talk', messages: [message] }))
    await reader.until(/"preliminary":true/)
    gate.resolve()
    const text = await reader.until(/DONE/)
    const chunks = sseMessages(text).map(({ event }) => event as unknown as Part)
    const outputs = chunks.filter(({ type }) => type === 'tool-output-available')
    expect(outputs[0]).toMatchObject({ output: { done: 1, of: 2 }, preliminary: true })
    expect(outputs.at(-1)?.['preliminary']).toBeUndefined()
    const shown = (await lastMessage(chunks)).parts.find(({ type }) => type === 'tool-steps')
    expect(shown).toMatchObject({ state: 'output-available', output: { done: 2, of: 2 } })
    const { calls } = agent.model as ReturnType<typeof scriptedModel>
    expect(JSON.stringify(calls[1]?.prompt)).toContain('"done":2')
    expect(JSON.stringify(calls[1]?.prompt)).not.toContain('"done":1')
  })

  it('returns its last value where nobody listens, also as a function that returns a generator', async () => {
    const yielding = async function* () {
      yield 1
      yield 2
    }
    const indirect = tool('indirect', () => yielding())
    const server = serve({ agents: [calling('steps', [steps, indirect])] })
    expect(await dataOf(server.post('/tools/steps/execute', { input: {} }))).toMatchObject({
      result: { done: 2, of: 2 },
    })
    expect(await dataOf(server.post('/tools/indirect/execute', { input: {} }))).toMatchObject({ result: 2 })
  })

  it('that yields nothing returns null, and one that throws after yielding fails its call', async () => {
    const empty = tool('empty', async function* () {})
    const failing = tool('failing', async function* () {
      yield 1
      throw new Error('out of paper')
    })
    for (const [one, type, rest] of [
      [empty, 'tool-result', { output: null }],
      [failing, 'tool-error', { error: 'Tool "failing" failed' }],
    ] as const) {
      const server = serve({ agents: [calling(one.name, [one])] })
      const parts = await partsOf(Promise.resolve(server.post('/agents/clerk/stream', { input: 'Hi' })))
      expect(parts.findLast((part) => part.type === type)).toMatchObject(rest)
      expect(parts.at(-1)).toMatchObject({ type: 'finish' })
    }
  })

  it('that yields what is not JSON, or too much, fails its call with an error that says so', async () => {
    for (const [value, expected] of [
      [new Date(), /not JSON/],
      ['x'.repeat(300_000), /maximum is 262144/],
    ] as const) {
      const wrong = tool('wrong', async function* () {
        yield value as never
        yield 'fine'
      })
      const agent = calling('wrong', [wrong])
      const server = serve({ agents: [agent] })
      const parts = await partsOf(Promise.resolve(server.post('/agents/clerk/stream', { input: 'Hi' })))
      expect(parts.map(({ type }) => type)).toContain('tool-error')
      const { calls } = agent.model as ReturnType<typeof scriptedModel>
      expect(JSON.stringify(calls[1]?.prompt)).toMatch(expected)
    }
  })

  it('that never ends is left with the timeout of the answer, and when the client disconnects', async () => {
    const left = vi.fn<() => void>()
    const endless = tool('endless', async function* () {
      try {
        for (let count = 0; ; count++) yield count
      } finally {
        left()
      }
    })
    const timed = calling('endless', [endless], { timeoutMs: 300 })
    const open = calling('endless', [endless], { id: 'open' })
    const server = serve({ agents: [timed, open] })
    const parts = await partsOf(Promise.resolve(server.post('/agents/clerk/stream', { input: 'Hi' })))
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: expect.stringMatching(/300/) as string })
    await expect.poll(() => left.mock.calls.length).toBe(1)
    const reader = readerOf(await server.post('/agents/open/stream', { input: 'Hi' }))
    await reader.until(/"preliminary":true/)
    await reader.cancel()
    await expect.poll(() => left.mock.calls.length).toBe(2)
  })
})

/** A boss asks a lead, which asks a worker, which calls a tool. */
const team = (forwardParts: 'all' | 'tools' | 'none' | undefined) => {
  const ask = (id: string) => [
    { toolCalls: [{ toolName: `ask_${id}`, input: { prompt: 'Go' } }] },
    `Asked ${id}.`,
  ]
  const agent = (id: string, script: Parameters<typeof scriptedModel>[0], more: object = {}) =>
    createAgent({
      id,
      name: id,
      instructions: 'x',
      model: scriptedModel(script, { repeatLast: true }),
      ...more,
    })
  const worker = agent('worker', [{ toolCalls: [{ toolName: 'report', input: {} }] }, 'Worked.'], {
    tools: [report],
  })
  const lead = agent('lead', ask('worker'), { subAgents: [worker] })
  return agent('boss', ask('lead'), { subAgents: [lead], ...(forwardParts && { forwardParts }) })
}

describe('a supervisor', () => {
  const forwarded = async (mode: Parameters<typeof team>[0]) => {
    const server = serve({ agents: [team(mode)] })
    const parts = await partsOf(Promise.resolve(server.post('/agents/boss/stream', { input: 'Hi' })))
    return parts.filter(({ type }) => type.startsWith('agent-') || type.startsWith('data-'))
  }
  const calls = [
    'lead agent-tool-call ask_worker',
    'worker agent-tool-call report',
    'worker data-progress report',
    'worker data-note report',
    'worker agent-tool-result report',
    'lead agent-tool-result ask_worker',
  ]
  const lines = (parts: readonly Part[]) =>
    parts.map(({ agentId, type, toolName }) => [agentId, type, toolName].filter(Boolean).join(' '))

  it('forwards the tool calls and results of its sub-agents, at whatever depth, and no text', async () => {
    const parts = await forwarded(undefined)
    expect(lines(parts)).toEqual(calls)
    expect(parts[0]).toMatchObject({ input: { prompt: 'Go' } })
    expect(parts[4]).toMatchObject({ output: 'reported' })
    expect(parts[5]).toMatchObject({ output: 'Worked.' })
    expect(parts[0]?.['runId']).not.toBe(parts[1]?.['runId'])
  })

  it("forwards their text, too, with forwardParts: 'all'", async () => {
    const parts = await forwarded('all')
    expect(lines(parts.filter(({ type }) => type !== 'agent-delta'))).toEqual(calls)
    const textOf = (agent: string) =>
      parts
        .flatMap(({ type, agentId, text }) => (type === 'agent-delta' && agentId === agent ? [text] : []))
        .join('')
    expect(textOf('worker')).toBe('Worked.')
    expect(textOf('lead')).toBe('Asked worker.')
    expect(textOf('boss')).toBe('')
  })

  it("forwards nothing with forwardParts: 'none'", async () => {
    expect(await forwarded('none')).toEqual([])
  })

  it('forwards a call to /chat as one data part, which the result completes', async () => {
    const server = serve({ agents: [team('all')] })
    const reply = server.post('/agents/boss/chat', { id: 'talk', messages: [message] })
    const chunks = await partsOf(Promise.resolve(reply))
    const shown = (await lastMessage(chunks)).parts.filter(({ type }) => type === 'data-agent-tool')
    expect(shown.map((part) => (part as { data: object }).data)).toMatchObject([
      {
        agentId: 'lead',
        toolName: 'ask_worker',
        state: 'result',
        input: { prompt: 'Go' },
        output: 'Worked.',
      },
      { agentId: 'worker', toolName: 'report', state: 'result', input: {}, output: 'reported' },
    ])
    const deltas = chunks.filter(({ type }) => type === 'data-agent-delta')
    expect(deltas.every(({ transient }) => transient === true)).toBe(true)
    expect(deltas.map(({ data }) => (data as { text: string }).text).join('')).toBe('Worked.Asked worker.')
  })

  it('with another forwardParts is refused when the configuration is loaded', () => {
    const [problem] = createAgent({ id: 'a', ...common, forwardParts: 'some' as never }).problems
    expect(problem).toBe("forwardParts must be 'all', 'tools', 'none'")
  })
})

describe('the stream of an execution', () => {
  const workflow = () =>
    createWorkflow({ id: 'flow', name: 'Flow', inputSchema: none, resultSchema: z.any() })
      .andAgent({ id: 'ask', agent: team(undefined), prompt: 'Go' })
      .andThen({ id: 'last', execute: ({ data }) => data })
  const stream = (server: TestServer, query = '') =>
    messagesOf(server.post(`/workflows/flow/stream${query}`, { input: {} }))

  it('shows what happens in the answer to a step, between the events of the step, without numbers', async () => {
    const server = serve({ workflows: [workflow()] })
    const messages = await stream(server)
    const all = messages.map(({ event }) => event as unknown as Part)
    const live = all.filter(({ type }) => type.startsWith('agent-'))
    expect(new Set(live.map(({ stepId }) => stepId))).toEqual(new Set(['ask']))
    const text = live.flatMap((event) => (event.type === 'agent-delta' ? [event['text']] : [])).join('')
    expect(text).toBe('Asked lead.')
    expect(
      live
        .filter(({ type }) => type !== 'agent-delta')
        .map(({ agentId, type }) => `${String(agentId)} ${type}`),
    ).toEqual([
      'boss agent-tool-call',
      'lead agent-tool-call',
      'worker agent-tool-call',
      'worker agent-data',
      'worker agent-data',
      'worker agent-tool-result',
      'lead agent-tool-result',
      'boss agent-tool-result',
    ])
    expect(live.find(({ type }) => type === 'agent-data')).toMatchObject({
      name: 'data-progress',
      data: { done: 1 },
      id: 'pages',
    })
    const types = all.map(({ type }) => type)
    expect(types.indexOf('agent-tool-call')).toBeGreaterThan(types.indexOf('step-start'))
    expect(types.lastIndexOf('agent-delta')).toBeLessThan(types.indexOf('step-complete'))
    const numbers = messages.map(({ id }) => id).filter((id) => id > 0)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(messages.length - numbers.length).toBe(live.length)
  })

  it('leaves them out with ?include=contract, and does not store them', async () => {
    const server = serve({ workflows: [workflow()] })
    const messages = await stream(server, '?include=contract')
    expect(messages.some(({ event }) => event.type.startsWith('agent-'))).toBe(false)
    const { executionId } = messages[0]?.event ?? {}
    const again = await messagesOf(server.request(`/workflows/flow/executions/${executionId}/stream`))
    expect(again).toEqual(messages)
    const refused = await server.post('/workflows/flow/stream?include=all', { input: {} })
    expect(refused.status).toBe(400)
  })

  it('streams the model only while somebody follows the execution', async () => {
    const model = scriptedModel(['One.', 'Two.'])
    const streamed = vi.spyOn(model, 'doStream')
    const agent = createAgent({ id: 'a', ...common, model })
    const flow = createWorkflow({ id: 'flow', name: 'Flow', inputSchema: none }).andAgent({
      id: 'ask',
      agent,
      prompt: 'x',
    })
    const server = serve({ workflows: [flow] })
    await dataOf(server.post('/workflows/flow/execute', { input: {} }))
    await stream(server, '?include=contract')
    expect(streamed).not.toHaveBeenCalled()
  })

  it('names the path of a call in a loop, and an attached reader gets what happens from then on', async () => {
    const gate = createDeferred<void>()
    const wait = tool('wait', async (_, { write }) => {
      await gate.promise
      write({ type: 'data-late', data: 1 })
      return 'ok'
    })
    const agent = calling('wait', [wait])
    const flow = createWorkflow({
      id: 'flow',
      inputSchema: none,
      run: async ({ step }) =>
        step.run('outer', async ({ step: inner }) => inner.agent('inner', agent, { prompt: 'x' })),
    })
    const server = serve({ workflows: [flow], agents: [agent] })
    const { url } = await server.listen()
    const started = await server.request('/workflows/flow/execute', {
      json: { input: {} },
      headers: { prefer: 'respond-async' },
    })
    const { executionId } = await dataOf<{ executionId: string }>(started, 202)
    const reader = readerOf(await server.request(`/workflows/flow/executions/${executionId}/stream`))
    await reader.until(/"from":"inner"/)
    const socket = await SocketReader.open(url)
    const quiet = await SocketReader.open(url)
    const topic = `execution:${executionId}`
    socket.subscribe(topic, 0)
    quiet.send({ type: 'subscribe', topics: [{ topic, after: 0, include: 'contract' }] })
    const has = (one: SocketReader, type: string) => one.news.some((frame) => frame['type'] === type)
    await expect.poll(() => has(socket, 'step-start') && has(quiet, 'step-start')).toBe(true)
    gate.resolve()
    const text = await reader.until(/workflow-result/)
    const events = sseMessages(`${text.slice(0, text.lastIndexOf('\n\n'))}\n\n`).map(
      ({ event }) => event as unknown as Part,
    )
    expect(events.find(({ type }) => type === 'agent-data')).toMatchObject({
      stepId: 'inner',
      path: 'outer/inner',
      agentId: 'clerk',
      name: 'data-late',
    })
    await expect.poll(() => has(socket, 'workflow-result') && has(quiet, 'workflow-result')).toBe(true)
    const frames = socket.news.filter((frame) => String(frame['type']).startsWith('agent-'))
    expect(frames.map(({ type }) => type)).toContain('agent-tool-result')
    expect(frames.every((frame) => !('seq' in frame) && frame['topic'] === topic)).toBe(true)
    expect(quiet.news.some((frame) => String(frame['type']).startsWith('agent-'))).toBe(false)
    socket.socket.close()
    quiet.socket.close()
  })
})

describe('an answer that survives its client', () => {
  it('sends live parts to those who read it, and stores none', async () => {
    const gate = createDeferred<void>()
    const wait = tool('wait', async (_, { write }) => {
      write({ type: 'data-early', data: 1 })
      await gate.promise
      write({ type: 'data-late', data: 2 })
      return 'ok'
    })
    const server = serve({ agents: [calling('wait', [wait], { resumable: true })] })
    const reader = readerOf(await server.post('/agents/clerk/chat', { id: 'talk', messages: [message] }))
    await reader.until(/data-early/)
    const second = readerOf(await server.request('/agents/clerk/chat/talk/stream'))
    await second.until(/tool-input-available/)
    gate.resolve()
    const first = await reader.until(/DONE/)
    expect(first).toMatch(/tool-input-available[^]*data-early[^]*data-late[^]*tool-output-available/)
    const late = await second.until(/DONE/)
    expect(late).not.toContain('data-early')
    expect(late).toMatch(/tool-input-available[^]*data-late[^]*tool-output-available/)
    const [run] = await dataOf<{ id: string }[]>(server.request('/agents/clerk/history'))
    expect(JSON.stringify(run)).not.toContain('data-')
  })
})
