import { connectMcpServer, createAgent, createMcpServer, demoModel } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../../src/config/config.ts'
import { generate } from '../../support/model/generate.ts'
import type { McpServerDetail, McpServerSummary, McpTool } from '../../../src/contract/endpoints/mcp.ts'
import type { ToolResult, ToolSummary } from '../../../src/contract/endpoints/tool.ts'
import { LiveServer } from '../../../src/server/live-server.ts'
import { add, broken, whoami } from '../../support/server/sample-tools.ts'
import { collectLogs } from '../../support/telemetry/collect-logs.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const SERVER = fileURLToPath(new URL('stdio-server.mjs', import.meta.url))
const directory = mkdtempSync(path.join(tmpdir(), 'mcp-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The file that the started programs write their process ids to. */
let pidFile = ''
beforeEach(({ task }) => {
  pidFile = path.join(directory, task.id)
})
const pids = () => readFileSync(pidFile, 'utf8').trim().split('\n').map(Number)
const isAlive = (pid: number | undefined) => {
  try {
    return process.kill(pid ?? 0, 0)
  } catch {
    return false
  }
}

const greeter = (env: Record<string, string> = {}) =>
  connectMcpServer({
    id: 'greeter',
    command: process.execPath,
    args: [SERVER],
    env: { PID_FILE: pidFile, ...env },
  })

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
function serve(config: AgentServerConfig): TestServer {
  const server = new TestServer({ workflows: [], ...config }, { logger: pino({ enabled: false }) })
  open.push(server)
  return server
}

const execute = (server: TestServer, name: string, input: unknown) =>
  server.post(`/tools/${name}/execute`, { input })
const statusOf = async (server: TestServer, id: string) =>
  (await dataOf<McpServerDetail>(server.request(`/mcp/servers/${id}`))).status

describe('a program on standard input and output', () => {
  it('has its tools listed and executed under prefixed names', async () => {
    const server = serve({ mcpServers: [greeter({ GREETING: 'Good day' })] })
    const tools = await dataOf<ToolSummary[]>(server.request('/tools'))
    expect(tools.map(({ name, source, serverId }) => [name, source, serverId])).toEqual(
      ['greet', 'sum_all', 'fail', 'hang', 'exit'].map((name) => [`greeter_${name}`, 'mcp', 'greeter']),
    )
    const { result } = await dataOf<ToolResult>(execute(server, 'greeter_greet', { name: 'Ada' }))
    expect(result).toBe('Good day, Ada')
    const sum = await dataOf<ToolResult>(execute(server, 'greeter_sum_all', { numbers: [1, 2] }))
    expect(sum.result).toEqual({ sum: 3 })
  })

  it('is called only with valid input, and its failure is an error', async () => {
    const server = serve({ mcpServers: [greeter()] })
    expect(await refusalOf(execute(server, 'greeter_greet', {}), 400)).toContain('input.name: Required')
    expect(await refusalOf(execute(server, 'greeter_fail', {}), 500)).toBe('Tool "greeter_fail" failed')
  })

  it('is described without its environment variables', async () => {
    const server = serve({ mcpServers: [greeter({ SECRET: 'hunter2' })] })
    await server.request('/tools')
    const summary = {
      id: 'greeter',
      name: 'Greeter',
      version: '3.2.1',
      description: 'Says hello',
      kind: 'connected',
      transport: 'stdio',
      status: 'ready',
      toolCount: 5,
    }
    expect(await dataOf<McpServerSummary[]>(server.request('/mcp/servers'))).toEqual([summary])
    const detail = { ...summary, capabilities: { tools: {} }, command: process.execPath }
    expect(await dataOf(server.request('/mcp/servers/greeter'))).toEqual(detail)
    const tools = await dataOf<McpTool[]>(server.request('/mcp/servers/greeter/tools'))
    expect(tools[1]).toMatchObject({
      name: 'greeter_sum_all',
      title: 'Sum',
      outputSchema: { type: 'object' },
    })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect(await refusalOf(server.post('/mcp/greeter', ping), 404)).toBe('MCP server not found: greeter')
  })

  it('is restarted when it exits, and is stopped with the server', async () => {
    const server = serve({ mcpServers: [greeter()] })
    expect(await refusalOf(execute(server, 'greeter_exit', {}), 503)).toContain('did not respond')
    await expect.poll(() => statusOf(server, 'greeter')).toBe('ready')
    const { result } = await dataOf<ToolResult>(execute(server, 'greeter_greet', { name: 'Ada' }))
    expect(result).toBe('Hello, Ada')
    const [first, second] = pids()
    expect([isAlive(first), isAlive(second)]).toEqual([false, true])
    await open.pop()?.close()
    expect([pids().length, isAlive(second)]).toEqual([2, false])
  })

  it('that does not exist is reported with the reason', async () => {
    const nobody = createServer().listen(0, '127.0.0.1')
    await once(nobody, 'listening')
    const { port } = nobody.address() as AddressInfo
    nobody.close()
    const server = serve({
      mcpServers: [connectMcpServer({ id: 'gone', url: `http://127.0.0.1:${port}/mcp` })],
    })
    const detail = () => dataOf<McpServerDetail>(server.request('/mcp/servers/gone'))
    await expect.poll(async () => (await detail()).error).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`)
  })

  it('that cannot be started does not prevent the server from starting', async () => {
    const missing = connectMcpServer({ id: 'missing', command: path.join(directory, 'no-such-program') })
    const server = serve({ mcpServers: [missing], tools: [add] })
    const tools = await dataOf<ToolSummary[]>(server.request('/tools'))
    expect(tools.map(({ name }) => name)).toEqual(['add'])
    const detail = await dataOf<McpServerDetail>(server.request('/mcp/servers/missing'))
    expect(detail).toMatchObject({ status: 'error', name: 'missing', version: null, toolCount: 0 })
    expect(detail.error).toContain('ENOENT')
    expect(await refusalOf(execute(server, 'missing_greet', {}), 503)).toContain('"missing" is not connected')
    expect(await refusalOf(execute(server, 'other_greet', {}), 404)).toContain('Tool not found')
  })

  it('provides its tools to an agent', async () => {
    const server = greeter()
    const agent = createAgent({
      id: 'host',
      name: 'Host',
      instructions: 'Greet',
      model: demoModel(),
      tools: [add, server],
    })
    expect(agent.problems).toEqual([])
    const serving = serve({ mcpServers: [server], agents: [agent] })
    await dataOf(serving.request('/mcp/servers'))
    const { text } = await generate(agent, { prompt: 'Greet somebody whose name is "Ada"' })
    expect(text).toContain('Hello, Ada')
    expect(agent.tools.map(({ name }) => name)).toContain('greeter_greet')
    const listed = await dataOf<ToolSummary[]>(serving.request('/tools'))
    expect(listed.find(({ name }) => name === 'greeter_greet')).toMatchObject({
      source: 'mcp',
      agents: ['host'],
    })
  })
})

describe('a server over HTTP', () => {
  const headers = { authorization: 'Bearer good' }
  const verifyToken = (token: string) => (token === 'good' ? { id: 'partner' } : null)
  const remote = (tools = [add, whoami, broken]) =>
    serve({
      mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', tools })],
      authNext: { provider: { type: 'test', verifyToken } },
    })

  it('receives the configured headers when its tools are executed', async () => {
    const { url } = await remote().listen()
    const shop = connectMcpServer({ id: 'shop', url: `${url}/mcp/shop?key=hunter2`, headers })
    const server = serve({ mcpServers: [shop] })
    const sum = await dataOf<ToolResult>(execute(server, 'shop_add', { a: 20, b: 22 }))
    expect(sum.result).toEqual({ sum: 42 })
    const who = await dataOf<ToolResult>(execute(server, 'shop_whoami', {}))
    expect(who.result).toMatchObject({ userId: 'partner' })
    expect(await refusalOf(execute(server, 'shop_broken', {}), 500)).toBe('Tool "shop_broken" failed')
    const detail = await dataOf<McpServerDetail>(server.request('/mcp/servers/shop'))
    expect(detail).toMatchObject({ transport: 'http', status: 'ready', url: `${url}/mcp/shop` })
    expect(JSON.stringify(detail)).not.toContain('hunter2')
  })

  it('that rejects the connection is reported as an error', async () => {
    const { url } = await remote().listen()
    const server = serve({ mcpServers: [connectMcpServer({ id: 'shop', url: `${url}/mcp/shop` })] })
    await server.request('/tools')
    const detail = await dataOf<McpServerDetail>(server.request('/mcp/servers/shop'))
    expect(detail).toMatchObject({ status: 'error' })
    expect(detail.error).toMatch(/\S/)
  })

  it('is reconnected when it is available again', async () => {
    const first = remote([add])
    const listening = await first.listen()
    const shop = connectMcpServer({ id: 'shop', url: `${listening.url}/mcp/shop`, headers })
    const server = serve({ mcpServers: [shop] })
    await dataOf(execute(server, 'shop_add', { a: 1 }))
    await listening.close(0)
    expect(await refusalOf(execute(server, 'shop_add', { a: 1 }), 503)).toMatch(
      /did not respond|not connected/,
    )
    await expect.poll(() => statusOf(server, 'shop')).toBe('error')
    await remote([add, whoami]).listen({ port: listening.port })
    await expect.poll(() => statusOf(server, 'shop')).toBe('ready')
    expect(await dataOf(execute(server, 'shop_whoami', {}))).toMatchObject({ toolName: 'shop_whoami' })
  })
})

describe('a reload', () => {
  it('keeps the connection of an unchanged declaration, and closes it when the declaration changes or is removed', async () => {
    const server = new LiveServer({ root: directory, production: false, logs: collectLogs().logs })
    open.push({ close: () => server.stop() })
    const put = async (mcpServers: NonNullable<AgentServerConfig['mcpServers']>) => {
      await server.serve(resolveConfig({ database: ':memory:', mcpServers }, 'test'))
      await server.app.fetch(new Request('http://localhost/tools'))
    }
    await put([greeter()])
    await put([greeter()])
    const [first] = pids()
    expect([pids().length, isAlive(first)]).toEqual([1, true])
    await put([greeter({ GREETING: 'Hi' })])
    expect(pids()).toHaveLength(2)
    await expect.poll(() => isAlive(first)).toBe(false)
    await put([])
    await expect.poll(() => isAlive(pids()[1])).toBe(false)
  })
})

const twin = () => createAgent({ id: 'twin', name: 'Twin', instructions: 'x' })

describe('the configuration', () => {
  const problemsOf = (config: object) => {
    try {
      resolveConfig(config, 'agentserver.config.ts')
      return ''
    } catch (error) {
      return String(error)
    }
  }
  const served = createMcpServer({ id: 'shop', name: 'Shop' })

  it.each([
    [{ mcpServers: {} }, 'mcpServers: must be an array'],
    [{ mcpServers: [{ id: 'x' }] }, 'mcpServers[0]: must be made by createMcpServer() or connectMcpServer()'],
    [{ mcpServers: [served, served] }, 'MCP server id "shop" is used 2 times'],
    [
      { mcpServers: [createMcpServer({ id: 'servers', name: 'x' })] },
      'the id "servers" is reserved for a route',
    ],
    [
      { mcpServers: [createMcpServer({ id: 'a', name: 'A', tools: [add, add] })] },
      'two tools are named "add"',
    ],
    [
      { agents: [twin()], mcpServers: [createMcpServer({ id: 'a', name: 'A', agents: [twin()] })] },
      'agent id "twin" is used 2 times',
    ],
    [{ mcpServers: [connectMcpServer({ id: '1st', command: 'x' })] }, 'the id must be a letter'],
    [{ mcpServers: [connectMcpServer({ id: 'a', url: 'ftp://x' })] }, 'url must be an http(s) URL'],
    // @ts-expect-error -- neither url nor command
    [{ mcpServers: [connectMcpServer({ id: 'a' })] }, 'either url or command is required'],
    [
      {
        agents: [
          createAgent({
            id: 'lonely',
            name: 'Lonely',
            instructions: 'x',
            tools: [connectMcpServer({ id: 'undeclared', command: 'x' })],
          }),
        ],
      },
      'agent "lonely" uses tools of MCP server "undeclared", which must be listed in mcpServers',
    ],
  ])('problem %# is reported', (config, problem) => {
    expect(problemsOf(config)).toContain(problem)
  })

  it('an agent cannot use the tools of a connection that is not in mcpServers', async () => {
    const agent = createAgent({
      id: 'lost',
      name: 'Lost',
      instructions: 'x',
      model: demoModel(),
      tools: [connectMcpServer({ id: 'undeclared', command: 'x' })],
    })
    await expect(generate(agent, { prompt: 'x' })).rejects.toThrow('"undeclared" is not in mcpServers')
  })
})
