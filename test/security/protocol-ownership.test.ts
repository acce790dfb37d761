import { andThen, createAgent, createMcpServer, createTool, createWorkflow, demoModel } from 'agentserver'
import type { AuthorizeRequest } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../support/clients/mcp-client.ts'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { GuardedServer, KEY, bearer, provider, tokenOf } from '../support/server/guarded-server.ts'

const ask = andThen({
  id: 'ask',
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('why'),
})
const approval = createWorkflow({ id: 'approval' }, ask)
const closed = createWorkflow({ id: 'closed', resumableBy: 'owner' }, ask)
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
const echo = createTool({
  name: 'echo',
  description: 'Echoes',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})
const parts = {
  workflows: [approval, closed],
  agents: [clerk],
  mcpServers: [
    createMcpServer({
      id: 'shop',
      name: 'Shop',
      tools: [echo],
      agents: [clerk],
      workflows: [approval, closed],
    }),
  ],
}

const ada = await tokenOf({ sub: 'ada' })
const bob = await tokenOf({ sub: 'bob' })

async function start(server: GuardedServer, workflow: string, headers: Readonly<Record<string, string>>) {
  const sent = { method: 'POST', headers, json: { input: {} } }
  const response = await server.request(`/workflows/${workflow}/execute`, sent)
  return ((await response.json()) as { data: { executionId: string } }).data.executionId
}

describe('over MCP', () => {
  let server: GuardedServer
  let url = ''
  let answer: (request: AuthorizeRequest) => boolean = () => true
  const asked: string[] = []
  beforeAll(async () => {
    const authorize = (request: AuthorizeRequest) => {
      const { kind, id } = request.resource
      asked.push(`${request.user?.id} ${request.action} ${kind} ${kind === 'execution' ? '' : id}`)
      return answer(request)
    }
    server = new GuardedServer({ ...parts, authNext: { provider: provider(), authorize } })
    url = `${(await server.listen()).url}/mcp/shop`
  })
  afterAll(() => server.close())

  it.each([
    ['echo', { text: 'x' }, 'bob tool tool echo'],
    ['ask_clerk', { prompt: 'Hi' }, 'bob execute agent clerk'],
    ['ask_clerk', { prompt: 'Hi', conversationId: 'c' }, 'bob chat conversation c'],
    ['run_approval', {}, 'bob execute workflow approval'],
  ])('the call of %s %j asks authorize: %s', async (name, args, question) => {
    answer = () => true
    const client = await connectClient(url, { user: bob })
    asked.length = 0
    expect((await client.callTool({ name, arguments: args })).isError).not.toBe(true)
    expect(asked).toContain(question)
    answer = ({ resource }) => !question.endsWith(`${resource.kind} ${resource.id}`)
    const refused = await client.callTool({ name, arguments: args })
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toMatch(/not allowed|Conversation not found/)
    await client.close()
  })
})

describe('an execution of another user', () => {
  const server = new GuardedServer({ ...parts, authNext: { provider: provider() } })
  let url = ''
  beforeAll(async () => {
    ;({ url } = await server.listen())
  })
  afterAll(() => server.close())

  it('is resumed over MCP where its workflow allows it, and nowhere else', async () => {
    const client = await connectClient(`${url}/mcp/shop`, { user: bob })
    const resume = async (workflow: string) => {
      const executionId = await start(server, workflow, bearer(ada))
      const args = { executionId, resumeData: { ok: true } }
      const { isError, content } = await client.callTool({ name: `resume_${workflow}`, arguments: args })
      return [isError === true, JSON.stringify(content).replace(executionId, '<id>')]
    }
    expect((await resume('approval'))[0]).toBe(false)
    const [isRefused, text] = await resume('closed')
    expect(isRefused).toBe(true)
    expect(text).toContain('Execution not found: <id>')
    await client.close()
  })
})

describe('the console channel, when a configuration opens it to users', () => {
  const everyRoute = { provider: provider(), consoleRoutes: [] }
  const topics = async (config: object, token: string, names: readonly string[]) => {
    const server = new GuardedServer({ ...parts, ...config })
    const { url } = await server.listen()
    const [own, other] = [
      await start(server, 'approval', bearer(bob)),
      await start(server, 'approval', bearer(ada)),
    ]
    const reader = await SocketReader.open(url, `/ws?${token}`)
    const all: { topic?: string; error?: string }[] = []
    reader.socket.on('message', (data: Buffer) => all.push(JSON.parse(data.toString()) as (typeof all)[0]))
    for (const name of names) {
      reader.subscribe(name.replace('own', own).replace('other', other), 0)
      await reader.settled()
    }
    const seen = all.map(({ topic, error }) =>
      String(topic ?? error)
        .replace(own, 'own')
        .replace(other, 'other'),
    )
    reader.socket.close()
    await server.close()
    return [...new Set(seen)].filter((one) => !one.startsWith('Unknown topic')).toSorted()
  }
  const names = ['execution:own', 'execution:other', 'executions']

  it.each(['default', 'strict'] as const)(
    'sends a user the events of own executions only (%s)',
    async (mode) => {
      const authNext = mode === 'strict' ? { ...everyRoute, ownership: mode } : everyRoute
      expect(await topics({ authNext }, `token=${bob}`, names)).toEqual([
        'Execution not found: other',
        'The topic "executions" has the executions of all users: use the console key',
        'execution:own',
      ])
    },
  )

  it('sends operators all', async () => {
    const all = ['execution:other', 'execution:own', 'executions']
    expect(await topics({ authNext: { ...everyRoute, ownership: 'strict' } }, 'dev=true', names)).toEqual(all)
    expect(
      await topics({ authNext: { provider: provider(), authorize: () => true } }, `key=${KEY}`, names),
    ).toEqual(all)
  })
})

it('an A2A message in a conversation that authorize refuses is an error', async () => {
  const authorize = ({ resource }: AuthorizeRequest) =>
    resource.kind !== 'conversation' || resource.id === 'mine'
  const server = new GuardedServer({ ...parts, authNext: { provider: provider(), authorize } })
  const send = async (contextId: string) => {
    const message = { messageId: 'm', contextId, role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
    const json = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
    const headers = { ...bearer(bob), 'A2A-Version': '1.0' }
    const response = await server.request('/agents/clerk/a2a', { method: 'POST', headers, json })
    return (await response.json()) as { error?: { code: number; message: string }; result?: object }
  }
  expect((await send('mine')).result).toBeDefined()
  // INVALID_PARAMS of JSON-RPC
  expect((await send('other')).error).toMatchObject({
    code: -32602,
    message: 'Conversation not found: other',
  })
  await server.close()
})
