import type { Client } from '@modelcontextprotocol/client'
import { createMcpServer, createTool, type McpServerConfig } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpServerDetail } from '../../../src/contract/endpoints/mcp.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
const inputSchema = { type: 'object' } as const
const tools = [
  createTool({
    name: 'parts',
    description: 'Gives parts',
    inputSchema,
    execute: () => ({ content: [{ type: 'text', text: 'Look:' }, image], structuredContent: { n: 1 } }),
  }),
  createTool({
    name: 'alike',
    description: 'Gives what only looks like parts',
    inputSchema,
    execute: () => ({ content: ['a page'], title: 'Page' }),
  }),
  createTool({
    name: 'described',
    description: 'Gives what its schema describes, whatever it looks like',
    inputSchema,
    outputSchema: { type: 'object', properties: { content: { type: 'array' } } },
    execute: () => ({ content: [image] }),
  }),
]

const docs = createMcpServer({
  id: 'docs',
  name: 'Docs',
  tools,
  resources: [
    { uri: 'docs://rules', name: 'Rules', title: 'House rules', read: () => 'Be kind.' },
    { uri: 'docs://logo', name: 'Logo', mimeType: 'image/png', read: () => new Uint8Array([1, 2, 3]) },
    { uri: 'docs://me', name: 'Me', read: ({ userId }) => ({ userId }) },
    {
      uri: 'orders://{customer}/{id}',
      name: 'Order',
      description: 'An order of a customer',
      read: ({ params, uri }) => (params['id'] === '404' ? undefined : { ...params, uri }),
    },
    {
      uri: 'docs://broken',
      name: 'Broken',
      read: () => {
        throw new Error('the password is hunter2')
      },
    },
  ],
  prompts: [
    { name: 'greet', title: 'Greet', description: 'Greets', get: (_, { userId }) => `Hello, ${userId}` },
    {
      name: 'review',
      arguments: [
        { name: 'file', description: 'Which', required: true, complete: (typed) => files(typed) },
        { name: 'tone' },
      ],
      get: ({ file, tone = 'kind' }) => [
        { role: 'user', content: { type: 'text', text: `Review ${file}` } },
        { role: 'assistant', content: { type: 'text', text: `I will be ${tone}` } },
      ],
    },
    // @ts-expect-error -- the role is missing
    { name: 'unfit', get: () => [{ content: image }] },
  ],
})
const files = (typed: string) => Array.from({ length: 150 }, (_, index) => `${typed}${index}`)

const verifyToken = () => ({ id: 'grace' })
const server = new TestServer({
  workflows: [],
  mcpServers: [docs, createMcpServer({ id: 'bare', name: 'Bare' })],
  authNext: { provider: { type: 'test', verifyToken }, publicRoutes: ['/mcp/servers/*'] },
})
const at = listening(server)

describe.each(['legacy', 'auto'] as const)('a client (%s)', (mode) => {
  let client: Client
  beforeAll(async () => {
    client = await connectClient(at('/mcp/docs'), { mode })
  })
  afterAll(() => client.close())
  const read = async (uri: string) => (await client.readResource({ uri })).contents

  it('lists resources, and resource templates separately', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'docs://rules',
      'docs://logo',
      'docs://me',
      'docs://broken',
    ])
    expect(resources[0]).toEqual({ uri: 'docs://rules', name: 'Rules', title: 'House rules' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toEqual([
      { uriTemplate: 'orders://{customer}/{id}', name: 'Order', description: 'An order of a customer' },
    ])
  })

  it('reads text, bytes and JSON', async () => {
    expect(await read('docs://rules')).toEqual([
      { uri: 'docs://rules', mimeType: 'text/plain', text: 'Be kind.' },
    ])
    expect(await read('docs://logo')).toEqual([{ uri: 'docs://logo', mimeType: 'image/png', blob: 'AQID' }])
    expect(await read('docs://me')).toMatchObject([
      { mimeType: 'application/json', text: '{"userId":"grace"}' },
    ])
    const uri = 'orders://ada%20l/7'
    expect(await read(uri)).toMatchObject([
      { uri, text: JSON.stringify({ customer: 'ada l', id: '7', uri }) },
    ])
  })

  it.each(['docs://nothing', 'orders://ada/404', 'orders://ada/7/8', 'orders://%E0%A4%A/7'])(
    'does not find %s',
    async (uri) => {
      await expect(read(uri)).rejects.toThrow(/not found/i)
    },
  )

  it('receives an error without details when a resource cannot be read', async () => {
    await expect(read('docs://broken')).rejects.toThrow('Resource "docs://broken" could not be read')
  })

  it('lists prompts with their arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      { name: 'greet', title: 'Greet', description: 'Greets' },
      {
        name: 'review',
        arguments: [{ name: 'file', description: 'Which', required: true }, { name: 'tone' }],
      },
      { name: 'unfit' },
    ])
  })

  it('receives a string as a user message, and messages unchanged', async () => {
    expect(await client.getPrompt({ name: 'greet' })).toMatchObject({
      description: 'Greets',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello, grace' } }],
    })
    const { messages } = await client.getPrompt({ name: 'review', arguments: { file: 'a.ts' } })
    expect(messages).toMatchObject([
      { role: 'user', content: { text: 'Review a.ts' } },
      { role: 'assistant', content: { text: 'I will be kind' } },
    ])
  })

  it.each([
    [{ name: 'nothing' }, 'Prompt not found: nothing'],
    [{ name: 'review' }, 'arguments.file: Required'],
    [{ name: 'greet', arguments: { to: 'x' } }, 'arguments.to: unknown argument'],
    [{ name: 'unfit' }, 'Prompt "unfit" failed'],
  ])('is refused the prompt %j', async (params, message) => {
    await expect(client.getPrompt(params)).rejects.toThrow(message)
  })

  it('receives completions of prompt arguments', async () => {
    const complete = (name: string, value: string) =>
      client.complete({ ref: { type: 'ref/prompt', name: 'review' }, argument: { name, value } })
    const { completion } = await complete('file', 'src/')
    expect(completion).toMatchObject({ total: 150, hasMore: true })
    expect([completion.values.length, completion.values[0]]).toEqual([100, 'src/0'])
    expect((await complete('tone', 'k')).completion.values).toEqual([])
  })

  it('receives content blocks of a tool, and a value that only resembles them as a value', async () => {
    const call = (name: string) => client.callTool({ name, arguments: {} })
    expect(await call('parts')).toMatchObject({
      content: [{ type: 'text', text: 'Look:' }, image],
      structuredContent: { n: 1 },
    })
    expect(await call('alike')).toMatchObject({
      content: [{ type: 'text', text: '{"content":["a page"],"title":"Page"}' }],
      structuredContent: { title: 'Page' },
    })
    expect(await call('described')).toMatchObject({ structuredContent: { content: [image] } })
  })
})

describe('the capabilities of a served server', () => {
  it('contain only the declared parts', async () => {
    const capabilitiesOf = async (id: string) =>
      (await dataOf<McpServerDetail>(server.request(`/mcp/servers/${id}`))).capabilities
    const list = { listChanged: true }
    expect(await capabilitiesOf('docs')).toEqual({
      tools: list,
      resources: { ...list, subscribe: true },
      prompts: list,
      completions: {},
    })
    expect(await capabilitiesOf('bare')).toEqual({ tools: list })
  })

  it.each<[unknown, string]>([
    [{ resources: {} }, 'resources must be an array'],
    [{ resources: [null] }, 'resources[0]: must be an object with uri, name and read'],
    [{ resources: [{ uri: 'no uri', name: 'x', read: files }] }, 'resources[0]: uri must be a URI'],
    [{ resources: [{ uri: 'a://{x', name: 'x', read: files }] }, 'resources[0]: uri must be a URI'],
    [{ resources: [{ uri: 'a://x', name: ' ', read: files }] }, 'resources[0]: a name is required'],
    [{ resources: [{ uri: 'a://x', name: 'x' }] }, 'resources[0]: read must be a function'],
    [
      { resources: [1, 2].map(() => ({ uri: 'a://x', name: 'x', read: files })) },
      'two resources have the URI "a://x"',
    ],
    [
      { resources: [{ uri: 'a://x', name: 'x', read: files, watch: 'often' }] },
      'resources[0]: watch must be a function',
    ],
    [{ logging: 'debug' }, 'logging must be true or false'],
    [{ prompts: [{ get: files }] }, 'prompts[0]: a name is required'],
    [{ prompts: [{ name: 'x' }] }, 'prompts[0]: get must be a function'],
    [{ prompts: [{ name: 'x', get: files, arguments: [{}] }] }, 'prompts[0]: arguments must be an array'],
    [{ prompts: [1, 2].map(() => ({ name: 'x', get: files })) }, 'two prompts are named "x"'],
  ])('%# is rejected: %j', (config, problem) => {
    const { problems } = createMcpServer({ id: 'a', name: 'A', ...(config as Partial<McpServerConfig>) })
    expect(problems.join('\n')).toContain(problem)
  })
})
