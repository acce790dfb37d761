import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connectMcpServer, createMcpServer } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'
import type { ToolSummary } from '../../src/contract/tool.ts'
import { listen } from '../../src/server/listen.ts'
import { LiveServer } from '../../src/server/live-server.ts'
import { add, whoami } from '../api/sample-tools.ts'
import { collectLogs } from '../fixtures/collect-logs.ts'
import { TestServer, dataOf, readerOf } from '../api/test-server.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A server that can be given another configuration, as a reload does. */
async function serving() {
  const server = new LiveServer({ root: process.cwd(), production: false, logs: collectLogs().logs })
  let released = 0
  const put = async (config: AgentServerConfig) => {
    const event = { generation: 1, at: '', durationMs: 0, files: [], modules: 0, env: [] }
    const use = () => () => void released++
    await server.serve(resolveConfig({ database: ':memory:', ...config }, 'test'), {
      generation: { use },
      event,
    })
  }
  const offer = (...tools: (typeof add | typeof whoami)[]) =>
    put({ mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', tools })] })
  await offer(add)
  const limits = { headersTimeoutMs: 5000, requestTimeoutMs: 5000, maxConnections: 100 }
  const answering = { fetch: server.app.fetch, upgrade: server.upgrades.handle }
  const bound = await listen(answering, { port: 0, host: '127.0.0.1', limits })
  closing.push(async () => {
    await server.stop()
    await bound.close(0)
  })
  return { url: `${bound.url}/mcp/shop`, offer, put, released: () => released }
}

describe.each(['legacy', 'auto'] as const)('a client that listens (%s)', (mode) => {
  it('is told when a reload gives the server other tools', async () => {
    const { url, offer } = await serving()
    const lists: string[][] = []
    const onChanged = (_: unknown, tools: readonly { name: string }[] | null) =>
      void lists.push((tools ?? []).map(({ name }) => name))
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, listChanged: { tools: { onChanged, debounceMs: 0 } } },
    )
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    closing.push(() => client.close())
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true })
    await offer(add)
    await vi.waitFor(async () => {
      // it may not have begun to listen yet
      await offer(add)
      await offer(add, whoami)
      await setTimeout(20)
      expect(lists.at(-1)).toEqual(['add', 'whoami'])
    })
    await offer(add)
    await vi.waitFor(() => expect(lists.at(-1)).toEqual(['add']))
  })
})

it('a client that listens does not keep code that was replaced', async () => {
  const { url, offer, released } = await serving()
  const before = released()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    }),
  })
  const reader = readerOf(response)
  await reader.until(/acknowledged/)
  expect(released()).toBe(before)
  await offer(whoami)
  expect(await reader.until(/list_changed/)).toContain('notifications/tools/list_changed')
  await reader.leave()
})

it('the stream of a GET names each list that changed, and nothing when none did', async () => {
  const { url, put, offer } = await serving()
  const response = await fetch(url, { headers: { accept: 'text/event-stream' } })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = readerOf(response)
  await offer(add)
  const read = () => 'text'
  const resources = [{ uri: 'docs://a', name: 'A', read }]
  const prompts = [{ name: 'hello', get: () => 'Hello' }]
  await put({ mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', resources, prompts })] })
  const text = await reader.until(/prompts\/list_changed/)
  expect(text.match(/\w+\/list_changed/g)).toEqual([
    'tools/list_changed',
    'resources/list_changed',
    'prompts/list_changed',
  ])
  await reader.leave()
})

it('the tools of a connected server are read anew when it says that they changed', async () => {
  const { url, offer } = await serving()
  const server = new TestServer({ workflows: [], mcpServers: [connectMcpServer({ id: 'shop', url })] })
  closing.push(() => server.close())
  const names = async () => (await dataOf<ToolSummary[]>(server.ask('/tools'))).map(({ name }) => name)
  expect(await names()).toEqual(['shop_add'])
  await offer(add, whoami)
  await vi.waitFor(async () => expect(await names()).toEqual(['shop_add', 'shop_whoami']), 5000)
})
