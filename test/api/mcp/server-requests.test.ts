import {
  andAgent,
  connectMcpServer,
  createAgent,
  createMcpServer,
  createTool,
  createWorkflow,
} from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Elicit } from '../../../src/agent/tools/elicitation.ts'
import type { ToolContext } from '../../../src/agent/tools/tool.ts'
import { resolveConfig } from '../../../src/config/config.ts'
import type { AgentAnswer } from '../../../src/contract/endpoints/agent.ts'
import type { ExecutionResult } from '../../../src/contract/event.ts'
import type { ToolResult } from '../../../src/contract/endpoints/tool.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { messagesOf } from '../../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const SERVER = fileURLToPath(new URL('asking-server.mjs', import.meta.url))

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

function serve(config: ConstructorParameters<typeof TestServer>[0]): TestServer {
  const server = new TestServer({ workflows: [], ...config })
  open.push(server)
  return server
}

const asking = (options: { sampling?: boolean; roots?: readonly string[] } = {}) =>
  connectMcpServer({ id: 'asking', command: process.execPath, args: [SERVER], ...options })

const execute = async (server: TestServer, name: string) => {
  const { result } = await dataOf<ToolResult>(server.post(`/tools/asking_${name}/execute`, { input: {} }))
  return JSON.parse(String(result)) as unknown
}

/** Asks an agent that calls a tool once, and then answers with its result. */
async function askAgent(connected: ReturnType<typeof asking>, tool: string) {
  const model = scriptedModel([
    { toolCalls: [{ toolName: `asking_${tool}`, input: {} }] },
    // the completion that the server requests
    ...(tool === 'sample' ? ['Blue'] : []),
    'Done',
  ])
  const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model, tools: [connected] })
  const server = serve({ agents: [agent], mcpServers: [connected] })
  const answer = await dataOf<AgentAnswer>(server.post('/agents/clerk/text', { input: 'Go' }))
  const output = JSON.parse(String(answer.toolResults[0]?.output)) as unknown
  return { answer, output, model, server }
}

describe('a connected server', () => {
  it('is told what its requests are answered with', async () => {
    expect(await execute(serve({ mcpServers: [asking()] }), 'capabilities')).toEqual({
      elicitation: { form: {} },
    })
    const all = asking({ sampling: true, roots: ['file:///project'] })
    expect(await execute(serve({ mcpServers: [all] }), 'capabilities')).toEqual({
      elicitation: { form: {} },
      sampling: {},
      roots: {},
    })
  })

  it('receives its roots', async () => {
    const server = serve({ mcpServers: [asking({ roots: ['file:///project', 'file:///data%20dir'] })] })
    expect(await execute(server, 'roots')).toEqual([
      { uri: 'file:///project' },
      { uri: 'file:///data%20dir' },
    ])
  })

  it('receives completions of the asking agent, which count in its usage and have a span', async () => {
    const { answer, output, model, server } = await askAgent(asking({ sampling: true }), 'sample')
    expect(output).toMatchObject({ role: 'assistant', content: { type: 'text', text: 'Blue' } })
    expect(answer.text).toBe('Done')
    expect(model.calls).toHaveLength(3)
    const own = answer.steps.reduce((sum, { usage }) => sum + Number(usage.totalTokens), 0)
    expect(answer.usage.totalTokens).toBeGreaterThan(own)
    const trace = await dataOf<{ spans: { name: string }[] }>(
      server.request(`/observability/traces/${answer.traceId}`),
    )
    expect(trace.spans.filter(({ name }) => name.startsWith('chat '))).toHaveLength(3)
  })

  it('receives no completions without an agent', async () => {
    const server = serve({ mcpServers: [asking({ sampling: true })] })
    expect(await execute(server, 'sample')).toEqual({
      error: expect.stringContaining('was not called by an agent') as string,
    })
  })

  it('reads that a form was closed where there is no user to show it to', async () => {
    expect(await execute(serve({ mcpServers: [asking()] }), 'elicit')).toEqual({ action: 'cancel' })
  })

  it('has its forms shown by the MCP client that calls a tool of this server', async () => {
    const connected = asking()
    const deliver = createTool({
      name: 'deliver',
      description: 'Delivers',
      inputSchema: z.object({}),
      execute: async (_, context) => {
        const tool = connected.tools.find(({ name }) => name === 'asking_elicit')
        return String(await tool?.execute?.({}, context))
      },
    })
    const desk = createMcpServer({ id: 'desk', name: 'Desk', tools: [deliver] })
    const server = serve({ mcpServers: [desk, connected] })
    await server.request('/tools')
    const { url } = await server.listen()
    const client = await connectClient(`${url}/mcp/desk`, { capabilities: { elicitation: {} } })
    onTestFinished(() => client.close())
    const asked: unknown[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { city: 'Bern' } }
    })
    const result = await client.callTool({ name: 'deliver', arguments: {} })
    expect(asked).toEqual(['Deliver where?'])
    expect(JSON.stringify(result.content)).toContain('Bern')
  })

  it.each([
    [{ sampling: 'yes' }, 'sampling must be true or false'],
    [{ roots: 'file:///a' }, 'roots must be an array of file:// URIs'],
    [{ roots: ['/a'] }, 'roots must be an array of file:// URIs'],
    [{ roots: ['https://a'] }, 'roots must be an array of file:// URIs'],
  ])('is not declared with %j', (options, problem) => {
    const declared = connectMcpServer({ id: 'a', command: 'x', ...(options as object) })
    expect(() => resolveConfig({ mcpServers: [declared] }, 'test')).toThrow(problem)
  })
})

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params: { readonly protocolVersion?: string }
  readonly result?: unknown
}

/** A server over HTTP on revision 2025-xx, whose tool returns the response to its form. */
async function formServer(tool = 'ask'): Promise<string> {
  const waiting = new Map<string, (result: unknown) => void>()
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    void json(request).then((value) => {
      const { id, method, params, result } = value as Message
      const reply = (to: unknown) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: to }))
      if (method === undefined) waiting.get(String(id))?.(result)
      if (id === undefined || method === undefined) return void response.writeHead(202).end()
      if (method === 'initialize') {
        const { protocolVersion } = params
        const serverInfo = { name: 'Forms', version: '1' }
        return void reply({ protocolVersion, capabilities: { tools: {} }, serverInfo })
      }
      if (method === 'tools/list')
        return void reply({ tools: [{ name: tool, inputSchema: { type: 'object' } }] })
      if (method !== 'tools/call') return void response.writeHead(400).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (message: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
      const form = { message: 'Your name?', requestedSchema }
      const formId = `form-${id}`
      waiting.set(formId, (to) => {
        send({ id, result: { content: [{ type: 'text', text: JSON.stringify(to) }] } })
        response.end()
      })
      send({ id: formId, method: 'elicitation/create', params: form })
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** The same with the newest revision. */
async function newFormServer(): Promise<string> {
  const ask = createTool({
    name: 'ask',
    description: 'Asks',
    inputSchema: z.object({}),
    execute: async (_, { elicit }) => {
      const answer = await elicit?.({ message: 'Your name?', schema: z.object({ name: z.string() }) })
      return JSON.stringify(answer)
    },
  })
  const server = serve({ mcpServers: [createMcpServer({ id: 'forms', name: 'Forms', tools: [ask] })] })
  return `${(await server.listen()).url}/mcp/forms`
}

it.each([
  ['2025-xx', () => formServer()],
  ['2026-xx', newFormServer],
])(
  'the form of a server over HTTP (%s) is shown to the caller of its tool, not to another',
  async (_, start) => {
    const forms = connectMcpServer({ id: 'forms', url: await start() })
    const server = serve({ mcpServers: [forms] })
    await server.request('/tools')
    const [tool] = forms.tools
    const everyoneWaits = createDeferred<void>()
    let waiting = 0
    const callAs = async (name: string) => {
      const elicit: Elicit = async () => {
        waiting++
        if (waiting === 3) everyoneWaits.resolve()
        await everyoneWaits.promise
        return { action: 'accept', content: { name } as never }
      }
      const context = { signal: new AbortController().signal, elicit } as unknown as ToolContext
      return JSON.parse(String(await tool?.execute?.({}, context))) as unknown
    }
    const names = ['Ada', 'Grace', 'Edith']
    expect(await Promise.all(names.map((name) => callAs(name)))).toEqual(
      names.map((name) => ({ action: 'accept', content: { name } })),
    )
  },
)

it('the form of a program is refused while several calls may have caused it', async () => {
  const connected = asking()
  const server = serve({ mcpServers: [connected] })
  await server.request('/tools')
  const tool = connected.tools.find(({ name }) => name === 'asking_elicit')
  const context = {
    signal: new AbortController().signal,
    elicit: () => Promise.resolve({ action: 'decline' }),
  } as unknown as ToolContext
  const results = await Promise.all([tool?.execute?.({}, context), tool?.execute?.({}, context)])
  expect(String(results[0])).toContain('may belong to several tool calls')
  expect(String(await tool?.execute?.({}, context))).toBe('{"action":"decline"}')
})

describe('a form that a tool of an agent requests', () => {
  interface Approval {
    readonly approvalId: string
    readonly [key: string]: unknown
  }
  type Answer = AgentAnswer & { readonly approvals?: readonly Approval[] }

  function clerkWith(connected: ReturnType<typeof asking>, more: { readonly database?: string } = {}) {
    const script = Array.from({ length: 20 }, () => (options: { prompt: readonly { role: string }[] }) => {
      const last = options.prompt.at(-1)
      return last?.role === 'tool'
        ? `Done: ${JSON.stringify(last)}`
        : { toolCalls: [{ toolName: 'asking_elicit', input: {} }] }
    })
    const model = scriptedModel(script)
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model, tools: [connected] })
    const boss = createAgent({
      id: 'boss',
      name: 'Boss',
      instructions: 'x',
      model: scriptedModel(
        Array.from({ length: 20 }, () => (options: { prompt: readonly { role: string }[] }) => {
          const last = options.prompt.at(-1)
          return last?.role === 'tool'
            ? `Boss: ${JSON.stringify(last)}`
            : { toolCalls: [{ toolName: 'ask_clerk', input: { prompt: 'Go' } }] }
        }),
      ),
      subAgents: [clerk],
    })
    const flow = createWorkflow(
      { id: 'flow', name: 'Flow' },
      andAgent({ id: 'ask', agent: clerk, prompt: 'Go' }),
    )
    const server = serve({ agents: [clerk, boss], workflows: [flow], mcpServers: [connected], ...more })
    const ask = (agent = 'clerk') => dataOf<Answer>(server.post(`/agents/${agent}/text`, { input: 'Go' }))
    const respond = (run: Answer, response: object, agent = 'clerk') => {
      const approvals = [{ approvalId: run.approvals?.[0]?.approvalId, ...response }]
      return server.post(`/agents/${agent}/runs/${run.id}/approvals`, { approvals })
    }
    return { server, ask, respond }
  }

  it('ends the answer, and the tool continues with the data that a person sends', async () => {
    const { ask, respond } = clerkWith(asking())
    const asked = await ask()
    expect(asked).toMatchObject({
      finishReason: 'approval-required',
      approvals: [
        {
          kind: 'elicitation',
          message: 'Deliver where?',
          schema: { type: 'object', required: ['city'] },
          toolName: 'asking_elicit',
          agentId: 'clerk',
        },
      ],
    })
    expect(await refusalOf(respond(asked, { approved: true, input: { city: 'B' } }), 400)).toContain(
      'approvals[0].input.city',
    )
    const answer = await dataOf<Answer>(respond(asked, { approved: true, input: { city: 'Bern' } }))
    expect(answer).toMatchObject({ id: asked.id, finishReason: 'stop' })
    expect(answer.toolResults[0]?.output).toBe('{"action":"accept","content":{"city":"Bern"}}')
    await refusalOf(respond(asked, { approved: true, input: { city: 'Bern' } }), 409)
  })

  it('does not keep other answers from requesting theirs', async () => {
    const { ask, respond } = clerkWith(asking())
    const [first, second] = [await ask(), await ask()]
    const cityOf = async (run: Answer, city: string) => {
      const { toolResults } = await dataOf<Answer>(respond(run, { approved: true, input: { city } }))
      return JSON.parse(String(toolResults[0]?.output)) as unknown
    }
    expect(await cityOf(second, 'Basel')).toEqual({ action: 'accept', content: { city: 'Basel' } })
    expect(await cityOf(first, 'Bern')).toEqual({ action: 'accept', content: { city: 'Bern' } })
  })

  it('can be declined', async () => {
    const { ask, respond } = clerkWith(asking())
    const answer = await dataOf<Answer>(respond(await ask(), { approved: false }))
    expect(answer.toolResults[0]?.output).toBe('{"action":"decline"}')
  })

  it('of a sub-agent is answered at the agent that was asked', async () => {
    const { ask, respond } = clerkWith(asking())
    const asked = await ask('boss')
    expect(asked.approvals).toMatchObject([{ kind: 'elicitation', agentId: 'clerk' }])
    const answer = await dataOf<Answer>(respond(asked, { approved: true, input: { city: 'Bern' } }, 'boss'))
    expect(answer.text).toContain('Bern')
  })

  it('suspends the execution of a step, which resumes with the data', async () => {
    const { server } = clerkWith(asking())
    const waiting = await dataOf<ExecutionResult>(server.post('/workflows/flow/execute', { input: {} }))
    expect(waiting).toMatchObject({ status: 'suspended', suspension: { stepId: 'ask' } })
    const { approvals } = (waiting.suspension?.data ?? {}) as { approvals: readonly Approval[] }
    expect(approvals).toMatchObject([{ kind: 'elicitation', message: 'Deliver where?' }])
    const resume = (response: object) =>
      server.post(`/workflows/flow/executions/${waiting.executionId}/resume`, {
        resumeData: { approvals: [{ approvalId: approvals[0]?.approvalId, ...response }] },
      })
    await refusalOf(resume({ approved: true, input: { city: 'B' } }), 400)
    const done = await dataOf<ExecutionResult>(resume({ approved: true, input: { city: 'Bern' } }))
    expect(done.status).toBe('completed')
    expect(JSON.stringify(done.result)).toContain('Bern')
  })

  it('of two answers at once reaches the tool of each, over HTTP', async () => {
    const forms = connectMcpServer({ id: 'asking', url: await formServer('elicit') })
    const { ask, respond } = clerkWith(forms)
    const asked = await Promise.all([ask(), ask()])
    const names = ['Ada', 'Grace']
    const answers = await Promise.all(
      asked.map((one, index) =>
        dataOf<Answer>(respond(one, { approved: true, input: { name: names[index] } })),
      ),
    )
    expect(answers.map(({ toolResults }) => JSON.parse(String(toolResults[0]?.output)) as unknown)).toEqual(
      names.map((name) => ({ action: 'accept', content: { name } })),
    )
  })

  it('of a conversation is a request for approval of the call, for clients of the AI SDK', async () => {
    const { server } = clerkWith(asking())
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]
    const sent = await messagesOf(server.post('/agents/clerk/chat', { id: 'c1', messages }))
    const chunks = sent.map(({ event }) => event as { type: string; [key: string]: unknown })
    const request = chunks.find(({ type }) => type === 'tool-approval-request')
    const call = chunks.find(({ type }) => type === 'tool-input-available')
    expect(request?.['toolCallId']).toBe(call?.['toolCallId'])
    expect(chunks.some(({ type }) => type === 'tool-output-available')).toBe(false)
    const finish = chunks.find(({ type }) => type === 'finish')
    expect(finish).toMatchObject({ messageMetadata: { approvals: [{ message: 'Deliver where?' }] } })
    const approvals = [{ approvalId: request?.['approvalId'], approved: true, input: { city: 'Bern' } }]
    const resumed = await messagesOf(server.post('/agents/clerk/chat', { id: 'c1', messages, approvals }))
    expect(JSON.stringify(resumed)).toContain('Bern')
  })

  it('ends with the process: its tool fails, and the answer says why', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'held-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = `file:${path.join(folder, 'data.db')}`
    const first = clerkWith(asking(), { database })
    const asked = await first.ask()
    await open.pop()?.close()
    const second = clerkWith(asking(), { database })
    const answer = await dataOf<Answer>(second.respond(asked, { approved: true, input: { city: 'Bern' } }))
    expect(JSON.stringify(answer.toolResults)).toContain(
      'The call waited for input in the memory of its process',
    )
    expect(answer.text).toContain('Done')
  })
})
