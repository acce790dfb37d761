import { connectMcpServer } from 'agentserver'
import { pino } from 'pino'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { McpServerDetail } from '../../../src/contract/endpoints/mcp.ts'
import type { ToolResult } from '../../../src/contract/endpoints/tool.ts'
import { add } from '../../support/server/sample-tools.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { until } from '../../support/until.ts'

const SERVER = fileURLToPath(new URL('unruly-server.mjs', import.meta.url))

describe('a connected server that violates the protocol', () => {
  const logs: string[] = []
  let server: TestServer
  beforeAll(() => {
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'hunter2')
    const unruly = connectMcpServer({ id: 'unruly', command: process.execPath, args: [SERVER] })
    const logger = pino({ level: 'info' }, { write: (line: string) => void logs.push(line) })
    server = new TestServer({ workflows: [], tools: [add], mcpServers: [unruly] }, { logger })
  })
  afterAll(async () => {
    await server.close()
    vi.unstubAllEnvs()
  })
  const execute = (name: string, signal?: AbortSignal) =>
    server.request(`/tools/unruly_${name}/execute`, { json: { input: {} }, ...(signal && { signal }) })
  const resultOf = async (name: string) => (await dataOf<ToolResult>(execute(name))).result

  it('receives only a few of the environment variables', async () => {
    const names = String(await resultOf('variables')).split(' ')
    expect(names).toContain('PATH')
    expect(names).not.toContain('SERVICE_CONSOLE_ACCESS_KEY')
  })

  it('has its standard error in the log, under its id', async () => {
    expect(await resultOf('variables')).toContain('PATH')
    const line = await until(() => logs.find((entry) => entry.includes('unruly begins')))
    expect(JSON.parse(line)).toMatchObject({ mcpServer: 'unruly', msg: 'unruly begins' })
  })

  it('may write garbage between its messages', async () => {
    expect(await resultOf('garbage')).toBe('after garbage')
  })

  it('returns images and other content as content blocks', async () => {
    expect(await resultOf('image')).toEqual({
      content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
    })
  })

  it.each(['unfit', 'refuse'])('fails in %s without internal details', async (name) => {
    expect(await refusalOf(execute(name), 500)).toBe(`Tool "unruly_${name}" failed`)
  })

  it('receives a cancellation when the client of a hanging call disconnects', async () => {
    expect(await resultOf('cancelled')).toBe('0')
    const controller = new AbortController()
    const sent = execute('hang', controller.signal)
    await until(() => logs.some((line) => line.includes('hang was called')))
    controller.abort()
    await refusalOf(sent, 500).catch(() => undefined)
    await expect.poll(() => resultOf('cancelled')).toBe('1')
  })

  it('is stopped and restarted when it floods the connection; others are served meanwhile', async () => {
    const flooded = execute('flood')
    const other = server.post('/tools/add/execute', { input: { a: 1 } })
    expect(await dataOf(other)).toMatchObject({ result: { sum: 2 } })
    expect(await refusalOf(flooded, 503)).toBe('MCP server "unruly" did not respond')
    const detail = () => dataOf<McpServerDetail>(server.request('/mcp/servers/unruly'))
    await expect.poll(async () => (await detail()).status).toBe('ready')
    expect(await resultOf('cancelled')).toBe('0')
  })
})
