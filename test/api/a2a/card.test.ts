import { createAgent, createTool, demoModel, jwtAuth } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { add } from '../../support/server/sample-tools.ts'
import { refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { askOverA2a } from '../../../examples/docs/ask-over-a2a.ts'

const model = demoModel()
const plain = createAgent({ id: 'plain', name: 'Plain', instructions: 'The passphrase is hunter2.', model })
const rich = createAgent({
  id: 'rich.desk',
  name: 'Rich',
  description: 'Does a lot',
  version: '3.0.0',
  instructions: 'The passphrase is hunter2.',
  model,
  tools: [add],
  subAgents: [plain],
})

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})
function serve(config: AgentServerConfig = {}): TestServer {
  const server = new TestServer({ workflows: [], agents: [plain, rich], ...config })
  open.push(server)
  return server
}

interface Card {
  readonly [field: string]: unknown
  readonly supportedInterfaces: readonly { readonly url: string; readonly protocolVersion: string }[]
  readonly skills: readonly Record<string, unknown>[]
}
const cardOf = async (server: TestServer, path = '/agents/rich.desk/card', headers = {}) => {
  const response = await server.request(path, { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as Card
}
const urlOf = async (server: TestServer, path?: string, headers?: object) =>
  (await cardOf(server, path, headers)).supportedInterfaces[0]?.url

describe('the card of an agent', () => {
  it('has no skill for a tool that only clients of a chat can execute', async () => {
    const local = createTool({ name: 'locate', description: 'Locates', inputSchema: z.object({}) })
    const agent = createAgent({ id: 'rich.desk', name: 'R', instructions: 'x', model, tools: [local, add] })
    const { skills } = await cardOf(serve({ agents: [agent] }))
    expect(skills.map(({ id }) => id)).toEqual(['add'])
  })

  it('has every field that A2A 1.0 requires', async () => {
    const url = 'http://localhost:3141/agents/rich.desk/a2a'
    expect(await cardOf(serve())).toEqual({
      name: 'Rich',
      description: 'Does a lot',
      version: '3.0.0',
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain'],
      skills: [
        { id: 'add', name: 'add', description: 'Adds two numbers', tags: ['tool'] },
        {
          id: 'ask_plain',
          name: 'Plain',
          description: 'Plain answers questions and requests',
          tags: ['agent'],
        },
      ],
      securitySchemes: {},
      securityRequirements: [],
    })
  })

  it('has the agent itself as its skill when it has no tools, and never its instructions', async () => {
    const card = await cardOf(serve(), '/agents/plain/card')
    expect(card).toMatchObject({ version: '1.0.0', description: 'Plain answers questions and requests' })
    expect(card.skills).toMatchObject([{ id: 'plain', name: 'Plain', tags: ['conversation'] }])
    expect(JSON.stringify([card, await cardOf(serve())])).not.toContain('hunter2')
  })

  it('has the format of 0.3 for clients that request it', async () => {
    const server = serve()
    const shapes = await Promise.all([
      cardOf(server, '/agents/plain/card?A2A-Version=0.3'),
      cardOf(server, '/agents/plain/card', { 'a2a-version': '0.3' }),
    ])
    for (const card of shapes)
      expect(card).toMatchObject({
        protocolVersion: '0.3.0',
        url: 'http://localhost:3141/agents/plain/a2a',
        preferredTransport: 'JSONRPC',
      })
  })

  it('is all that a client needs to call the agent', async () => {
    const { url } = await serve().listen()
    for (const place of ['card', ''])
      expect(await askOverA2a(`${url}/agents/plain/${place}`, 'Good morning')).toContain('Good morning')
  })

  it('is also served at the well-known path', async () => {
    const server = serve()
    expect(await cardOf(server, '/agents/plain/.well-known/agent-card.json')).toEqual(
      await cardOf(server, '/agents/plain/card'),
    )
    expect(await refusalOf(server.request('/agents/plain/.well-known/agent.json'), 404)).toContain(
      'Route not found: ',
    )
    const provider = { type: 'mine', verifyToken: () => null }
    const path = '/agents/plain/.well-known/agent-card.json'
    await refusalOf(serve({ authNext: { provider } }).request(path), 401)
    const publicRoutes = ['GET /agents/:id/.well-known/*']
    await cardOf(serve({ authNext: { provider, publicRoutes } }), path)
  })

  it('is a 404 for an unknown agent', async () => {
    expect(await refusalOf(serve().request('/agents/nobody/card'), 404)).toBe('Agent not found: nobody')
  })
})

describe('the security of the card', () => {
  const secret = 'a signing secret of more than thirty-two bytes'
  const jwt = jwtAuth({ secret })
  const key = (server: TestServer, path?: string) => cardOf(server, path, { 'x-service-dev': 'true' })

  it('is a JWT with jwtAuth', async () => {
    const server = serve({ authNext: { provider: jwt } })
    const card = await key(server)
    expect(card).toMatchObject({
      securitySchemes: { userToken: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } },
      securityRequirements: [{ schemes: { userToken: { list: [] } } }],
    })
    expect(await key(server, '/agents/plain/card?A2A-Version=0.3')).toMatchObject({
      securitySchemes: { userToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      security: [{ userToken: [] }],
    })
    expect(JSON.stringify(card)).not.toContain(secret)
  })

  it('is a token in the older mode and with custom providers', async () => {
    const scheme = { userToken: { httpAuthSecurityScheme: { scheme: 'Bearer' } } }
    expect(await cardOf(serve({ auth: jwt }))).toMatchObject({ securitySchemes: scheme })
    const provider = { type: 'mine', verifyToken: () => null }
    expect((await key(serve({ authNext: { provider } })))['securitySchemes']).toEqual(scheme)
  })

  it('is empty when the route is public, and the console key when it is a console route', async () => {
    const route = 'POST /agents/:id/a2a'
    const open = await key(serve({ authNext: { provider: jwt, publicRoutes: [route] } }))
    expect(open['securitySchemes']).toEqual({})
    const consoleRoutes = [route, 'GET /agents/:id/card']
    expect(await key(serve({ authNext: { provider: jwt, consoleRoutes } }))).toMatchObject({
      securitySchemes: { consoleKey: { apiKeySecurityScheme: { name: 'x-console-access-key' } } },
    })
  })
})

describe('the URL of the card', () => {
  it('has the host of the request', async () => {
    const url = await urlOf(serve(), 'http://127.0.0.1:9/agents/plain/card')
    expect(url).toBe('http://127.0.0.1:9/agents/plain/a2a')
  })

  it('has the scheme of x-forwarded-proto', async () => {
    const server = serve()
    const addressOf = (proto: string) => urlOf(server, '/agents/plain/card', { 'x-forwarded-proto': proto })
    expect(await addressOf('https')).toBe('https://localhost:3141/agents/plain/a2a')
    for (const proto of ['javascript', 'https,http', 'ftp', 'http'])
      expect(await addressOf(proto)).toBe('http://localhost:3141/agents/plain/a2a')
  })

  it('has the host of x-forwarded-host only when the configuration allows it', async () => {
    const server = serve({ allowedHosts: ['agents.example'] })
    const addressOf = (host: string) =>
      urlOf(server, '/agents/plain/card', { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' })
    expect(await addressOf('agents.example')).toBe('https://agents.example/agents/plain/a2a')
    for (const host of [
      'evil.example',
      'agents.example@evil.example',
      'agents.example/x',
      'agents.example.evil',
      '',
    ])
      expect(await addressOf(host)).toBe('https://localhost:3141/agents/plain/a2a')
  })
})
