import { connectMcpServer, createMcpServer } from 'agentserver'
import { createClient } from 'agentserver/client'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type {
  McpListedPrompt,
  McpListedResource,
  McpResourceContents,
  McpServerDetail,
} from '../../../src/contract/endpoints/mcp.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const SERVER = fileURLToPath(new URL('content-server.mjs', import.meta.url))
const HOSTILE = '</script><script>alert(1)</script>\u0000\u202E"\n'

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

function serve(content = '') {
  const docs = connectMcpServer({
    id: 'docs',
    command: process.execPath,
    args: [SERVER],
    env: { CONTENT: content, PASSWORD: 'hunter2secret' },
  })
  const server = new TestServer({ workflows: [], mcpServers: [docs] })
  open.push(server)
  const get = (path: string) => server.request(`/mcp/servers/docs/${path}`)
  const read = (uri: string) => get(`resources/read?uri=${encodeURIComponent(uri)}`)
  return { docs, server, get, read }
}

describe('the resources of a connected server', () => {
  it('are listed with those of all pages, and then its templates', async () => {
    const { get } = serve()
    const listed = await dataOf<object[]>(get('resources'))
    const nulls = { title: null, description: null, mimeType: null }
    expect(listed).toEqual([
      { uri: 'docs://page-0', name: 'docs://page-0', ...nulls, mimeType: 'text/plain', size: 4 },
      { uri: 'docs://page-1', name: 'docs://page-1', ...nulls, mimeType: 'text/plain', size: 4 },
      {
        uri: 'docs://hostile',
        name: HOSTILE,
        title: HOSTILE,
        description: HOSTILE,
        mimeType: null,
        size: null,
      },
      { uriTemplate: 'docs://{name}', name: 'Document', ...nulls, title: 'Any document' },
    ])
  })

  it('are listed and read in code', async () => {
    const { docs, server } = serve()
    await server.request('/healthz')
    const uris = (await docs.resources()).map(({ uri }) => uri)
    expect(uris).toEqual(['docs://page-0', 'docs://page-1', 'docs://hostile'])
    expect((await docs.resourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['docs://{name}'])
    const { contents } = await docs.readResource('docs://page-0')
    expect(contents).toEqual([{ uri: 'docs://page-0', mimeType: 'text/plain', text: 'text' }])
    await expect(docs.readResource('docs://missing')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are read as text or as base64, hostile ones unchanged', async () => {
    const { read } = serve()
    const contentsOf = async (uri: string) => (await dataOf<McpResourceContents>(read(uri))).contents
    expect(await contentsOf('docs://logo')).toEqual([
      { uri: 'docs://logo', mimeType: 'image/png', blob: 'AP8B' },
    ])
    expect((await contentsOf('docs://hostile'))[0]?.text).toBe(HOSTILE)
    const odd = 'docs://a b/ü?x=1&y=%00#z'
    expect((await contentsOf(odd))[0]?.uri).toBe(odd)
  })

  it('that cannot be read are refused with the reason, without secrets', async () => {
    const { get, read } = serve()
    expect(await refusalOf(read('docs://missing'), 404)).toBe('MCP server "docs": Resource not found')
    const broken = await refusalOf(read('docs://broken'), 500)
    expect(broken).toContain('the disk is full of')
    expect(broken).not.toContain('hunter2secret')
    expect(await refusalOf(get('resources/read'), 400)).toContain('uri')
    expect(await refusalOf(get('resources/read?uri='), 400)).toContain('uri')
  })

  it('that exceed the size limit are refused, and the server is connected again', async () => {
    const { get, read, server } = serve()
    await refusalOf(read('docs://huge'), 503)
    const status = async () => (await dataOf<McpServerDetail>(server.request('/mcp/servers/docs'))).status
    await expect.poll(status).toBe('ready')
    expect(await dataOf(get('prompts'))).toHaveLength(2)
  })

  it('are listed without templates when the server has none', async () => {
    const { get } = serve('no templates')
    expect(await dataOf(get('resources'))).toHaveLength(3)
  })

  it.each(['endless', 'infinite'])('are refused when their list does not end: %s', async (content) => {
    const { get } = serve(content)
    expect(await refusalOf(get('resources'), 503)).toContain('The list of resources is too long')
  })

  it('fail with 503 while the server is down, and with its exit', async () => {
    const { get, read } = serve()
    expect(await refusalOf(read('docs://exit'), 503)).toContain('did not respond')
    const missing = connectMcpServer({ id: 'docs', command: '/no-such-program' })
    const server = new TestServer({ workflows: [], mcpServers: [missing] })
    open.push(server)
    for (const path of ['resources', 'prompts', 'resources/read?uri=docs://a', 'prompts/get?name=a'])
      expect(await refusalOf(server.request(`/mcp/servers/docs/${path}`), 503)).toContain('is not connected')
    await expect.poll(async () => (await get('resources')).status).toBe(200)
  })

  it('are no longer read when the caller disconnects', async () => {
    const { server } = serve()
    const abort = new AbortController()
    const sent = server.request('/mcp/servers/docs/resources/read?uri=docs://hang', { signal: abort.signal })
    abort.abort()
    await expect(Promise.resolve(sent).then((response) => response.ok)).resolves.toBe(false)
  })
})

describe('the prompts of a connected server', () => {
  it('are listed with those of all pages, with their arguments', async () => {
    const { get } = serve()
    expect(await dataOf<McpListedPrompt[]>(get('prompts'))).toEqual([
      { name: 'hello', title: null, description: null, arguments: [] },
      {
        name: 'reply',
        title: 'Reply',
        description: null,
        arguments: [{ name: 'to', description: 'Whom', required: true }],
      },
    ])
  })

  it('are returned with their arguments filled in, over HTTP, by the client and in code', async () => {
    const { docs, get, server } = serve()
    const messages = [{ role: 'user', content: { type: 'text', text: 'Reply to Ada' } }]
    const expected = { description: 'A reply', messages }
    const values = encodeURIComponent('{"to":"Ada"}')
    expect(await dataOf(get(`prompts/get?name=reply&arguments=${values}`))).toEqual(expected)
    expect(await docs.getPrompt('reply', { to: 'Ada' })).toEqual(expected)
    const client = createClient({ baseUrl: 'http://localhost:3141', fetch: server.fetch })
    const call = { params: { serverId: 'docs' }, query: { name: 'reply', arguments: '{"to":"Ada"}' } }
    expect(await client.api.getMcpPrompt(call)).toEqual(expected)
  })

  it('are refused when they do not exist or their arguments are not valid', async () => {
    const { get } = serve()
    expect(await refusalOf(get('prompts/get?name=nobody'), 404)).toContain('Unknown prompt nobody')
    expect(await refusalOf(get('prompts/get?name=reply'), 400)).toContain('to is required')
    expect(await refusalOf(get('prompts/get?name=reply&arguments={'), 400)).toContain('JSON')
    for (const values of ['[]', '{"to":1}', 'null'])
      expect(await refusalOf(get(`prompts/get?name=reply&arguments=${values}`), 400)).toContain(
        'Must be a JSON object of strings',
      )
  })
})

describe('a server without resources and prompts', () => {
  it('has empty lists, and nothing to read', async () => {
    const { get } = serve('tools only')
    expect(await dataOf(get('resources'))).toEqual([])
    expect(await dataOf(get('prompts'))).toEqual([])
    expect(await refusalOf(get('resources/read?uri=docs://a'), 404)).toBe(
      'MCP server "docs" has no resources',
    )
    expect(await refusalOf(get('prompts/get?name=a'), 404)).toBe('MCP server "docs" has no prompts')
  })

  it('that does not exist is not found', async () => {
    const { server } = serve('tools only')
    for (const path of ['resources', 'prompts', 'resources/read?uri=a', 'prompts/get?name=a'])
      expect(await refusalOf(server.request(`/mcp/servers/nobody/${path}`), 404)).toContain(
        'not found: nobody',
      )
  })
})

it('a served server has its resources and prompts listed, and they are read over MCP only', async () => {
  const read = () => 'text'
  const shop = createMcpServer({
    id: 'shop',
    name: 'Shop',
    resources: [
      { uri: 'docs://a', name: 'A', read },
      { uri: 'docs://{id}', name: 'Any', read },
    ],
    prompts: [{ name: 'hello', arguments: [{ name: 'to' }], get: () => 'Hello' }],
  })
  const server = new TestServer({ workflows: [], mcpServers: [shop] })
  open.push(server)
  const listed = await dataOf<McpListedResource[]>(server.request('/mcp/servers/shop/resources'))
  expect(listed.map((each) => ('uri' in each ? each.uri : each['uriTemplate']))).toEqual([
    'docs://a',
    'docs://{id}',
  ])
  expect(await dataOf(server.request('/mcp/servers/shop/prompts'))).toEqual([
    {
      name: 'hello',
      title: null,
      description: null,
      arguments: [{ name: 'to', description: null, required: false }],
    },
  ])
  expect(await refusalOf(server.request('/mcp/servers/shop/resources/read?uri=docs://a'), 404)).toBe(
    'MCP server not found: shop',
  )
})
