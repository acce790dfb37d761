import { connectMcpServer, createMcpServer } from 'agentserver'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolSummary } from '../../../src/contract/endpoints/tool.ts'
import { add, whoami } from '../../support/server/sample-tools.ts'
import { readerOf } from '../../support/server/event-stream.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { reloadedServer } from '../../support/server/reloaded-server.ts'

async function serving() {
  const offering = (...tools: (typeof add | typeof whoami)[]) => ({
    mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', tools })],
  })
  const server = await reloadedServer(offering(add))
  return { ...server, offer: (...tools: Parameters<typeof offering>) => server.put(offering(...tools)) }
}

describe.each(['legacy', 'auto'] as const)('a connected client (%s)', (mode) => {
  it('is notified when a reload changes the tools of the server', async () => {
    const { url, offer } = await serving()
    const lists: string[][] = []
    const onChanged = (_: unknown, tools: readonly { name: string }[] | null) =>
      void lists.push((tools ?? []).map(({ name }) => name))
    const listChanged = { tools: { onChanged, debounceMs: 0 } }
    const client = await connectClient(url, { mode, listChanged })
    onTestFinished(() => client.close())
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true })
    await offer(add)
    const offeredTwo = async () => {
      // the client may not be connected yet
      await offer(add)
      await offer(add, whoami)
      await setTimeout(20)
      return lists.at(-1)
    }
    await expect.poll(offeredTwo).toEqual(['add', 'whoami'])
    await offer(add)
    await expect.poll(() => lists.at(-1)).toEqual(['add'])
  })
})

it('a connected client does not keep replaced code loaded', async () => {
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
  await reader.cancel()
})

it('the GET stream names each list that changed, and sends nothing when none did', async () => {
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
  await reader.cancel()
})

it('the tools of a connected server are reloaded when it sends list_changed', async () => {
  const { url, offer } = await serving()
  const server = new TestServer({ workflows: [], mcpServers: [connectMcpServer({ id: 'shop', url })] })
  onTestFinished(() => server.close())
  const names = async () => (await dataOf<ToolSummary[]>(server.request('/tools'))).map(({ name }) => name)
  expect(await names()).toEqual(['shop_add'])
  await offer(add, whoami)
  await expect.poll(() => names()).toEqual(['shop_add', 'shop_whoami'])
})
