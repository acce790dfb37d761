import { createAgent, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import type { AgentServerConfig, AuthorizeRequest } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEV, GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'

const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
const model = scriptedModel(Array.from({ length: 100 }, () => 'ok'))
const keeper = createAgent({
  id: 'keeper',
  name: 'Keeper',
  instructions: 'Help',
  model,
  memory: { workingMemory: { type: 'object', properties: { note: { type: 'string' } } } },
})
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))
const nameless = bearer(await tokenOf({ role: 'clerk' }))
const publicRoutes = [
  'POST /agents/:id/text',
  '/agents/:id/conversations',
  '/agents/:id/working-memory',
  '/agents/:id/conversations/:conversationId',
  '/agents/:id/conversations/:conversationId/messages',
]

type Headers = Readonly<Record<string, string>>

const MODES: Readonly<Record<string, AgentServerConfig>> = {
  'the default': { authNext: { provider: provider(), publicRoutes } },
  "ownership: 'strict'": { authNext: { provider: provider(), publicRoutes, ownership: 'strict' } },
  authorize: {
    authNext: {
      provider: provider(),
      publicRoutes,
      authorize: ({ user, resource }) => resource.ownerId === undefined || resource.ownerId === user?.id,
    },
  },
  'legacy auth': { auth: { ...provider(), publicRoutes } },
}

class Talks {
  readonly server: GuardedServer

  constructor(config: AgentServerConfig) {
    this.server = new GuardedServer({ agents: [clerk, keeper], ...config })
  }

  async say(headers: Headers, conversationId: string, userId?: string): Promise<number> {
    const json = { input: 'My secret', options: { conversationId, userId } }
    const response = await this.server.request('/agents/clerk/text', { method: 'POST', headers, json })
    await response.text()
    return response.status
  }

  async listed(headers: Headers, query = ''): Promise<string[]> {
    const response = await this.server.request(`/agents/clerk/conversations${query}`, { headers })
    const { data } = (await response.json()) as { data: { id: string }[] }
    return data.map(({ id }) => id)
  }

  /** The statuses of reading, renaming and deleting, in this order. */
  async use(headers: Headers, conversation: string, query = ''): Promise<number[]> {
    const path = `/agents/clerk/conversations/${conversation}`
    const calls = [
      [`${path}/messages${query}`, { method: 'GET' }],
      [path + query, { method: 'PATCH', json: { title: 'Taken' } }],
      [path + query, { method: 'DELETE' }],
    ] as const
    const statuses: number[] = []
    for (const [target, sent] of calls) {
      const response = await this.server.request(target, { ...sent, headers })
      const { error } = (await response.json()) as { error?: string }
      const isUnknown = error === `Conversation not found: ${conversation}`
      statuses.push(response.status === 404 && !isUnknown ? 0 : response.status)
    }
    return statuses
  }
}

const NONE = [404, 404, 404]
const ALL = [200, 200, 200]

describe.each(Object.entries(MODES))('conversations under %s', (_, config) => {
  let talks: Talks
  beforeAll(() => {
    talks = new Talks(config)
  })
  afterAll(() => talks.server.close())

  it('are listed, read, renamed and deleted by their user only', async () => {
    await talks.say(ada, 'a1')
    await talks.say(bob, 'b1')
    expect(await talks.listed(ada)).toEqual(['a1'])
    expect(await talks.listed(ada, '?userId=bob')).toEqual(['a1'])
    expect(await talks.listed(bob)).toEqual(['b1'])
    for (const headers of [bob, nameless, {}]) expect(await talks.use(headers, 'a1')).toEqual(NONE)
    expect(await talks.use(bob, 'a1', '?userId=ada')).toEqual(NONE)
    expect(await talks.use(ada, 'a1')).toEqual(ALL)
    expect(await talks.use(ada, 'a1')).toEqual(NONE)
    expect(await talks.listed(bob)).toEqual(['b1'])
  })

  it('of a user are closed to callers who claim the id of that user', async () => {
    await talks.say(ada, 'a2')
    expect(await talks.listed({}, '?userId=ada')).toEqual([])
    expect(await talks.use({}, 'a2', '?userId=ada')).toEqual(NONE)
    expect(await talks.listed(ada)).toEqual(['a2'])
  })

  it('of a claimed user are open to who claims the same, and to that user', async () => {
    expect(await talks.say({}, 'g1', 'guest')).toBe(200)
    expect(await talks.listed({}, '?userId=guest')).toEqual(['g1'])
    expect(await talks.use({}, 'g1')).toEqual(NONE)
    expect(await talks.use(ada, 'g1', '?userId=guest')).toEqual(NONE)
    expect(await talks.listed(bearer(await tokenOf({ sub: 'guest' })))).toEqual(['g1'])
    expect(await talks.use({}, 'g1', '?userId=guest')).toEqual(ALL)
  })

  it('without a user are never listed, and found by who knows the id', async () => {
    expect(await talks.say({}, 'visitor-1')).toBe(200)
    for (const headers of [{}, ada, nameless]) expect(await talks.listed(headers)).not.toContain('visitor-1')
    for (const headers of [ada, nameless]) expect(await talks.use(headers, 'visitor-1')).toEqual(NONE)
    expect(await talks.use({}, 'visitor-1')).toEqual(ALL)
  })

  it('of users without an id are not stored', async () => {
    expect(await talks.say(nameless, 'n1')).toBe(200)
    expect(await talks.listed(nameless)).toEqual([])
    expect(await talks.use(nameless, 'n1')).toEqual(NONE)
  })

  it('share the working memory of their user, which is closed to all others', async () => {
    const path = '/agents/keeper/working-memory'
    const send = async (headers: Headers, query = '', sent: { method?: string; json?: object } = {}) => {
      const response = await talks.server.request(path + query, { headers, ...sent })
      const { data, error } = (await response.json()) as { data?: unknown; error?: string }
      return response.status === 200 ? data : `${response.status} ${error}`
    }
    const put = (headers: Headers, note: string, query = '') =>
      send(headers, query, { method: 'PUT', json: { note } })
    const none = '404 Working memory not found: keeper'
    // a stranger who was there before the user
    expect(await put({}, 'planted', '?userId=ada')).toEqual({ note: 'planted' })
    expect(await send(ada)).toBeNull()
    expect(await put(ada, 'secret of ada')).toEqual({ note: 'secret of ada' })
    expect(await send(ada, '?userId=bob')).toEqual({ note: 'secret of ada' })
    expect(await send(bob)).toBeNull()
    expect(await send(bob, '?userId=ada')).toBeNull()
    for (const method of ['GET', 'DELETE'])
      for (const [headers, query] of [
        [nameless, ''],
        [{}, ''],
        [{}, '?userId=ada'],
      ] as const)
        expect(await send(headers, query, { method })).toBe(none)
    expect(await put({}, 'x', '?userId=ada')).toBe(none)
    const seen = async (headers: Headers, userId?: string) => {
      const json = { input: 'Hi', options: { userId } }
      await (await talks.server.request('/agents/keeper/text', { method: 'POST', headers, json })).text()
      return JSON.stringify(model.calls.at(-1)?.prompt)
    }
    expect(await seen(ada)).toContain('secret of ada')
    expect(await seen(ada)).not.toContain('planted')
    for (const prompt of [
      await seen(bob, 'ada'),
      await seen({}, 'ada'),
      await seen({}),
      await seen(nameless),
    ])
      expect(prompt).not.toContain('secret of ada')
    expect(await seen({})).not.toContain('working_memory')
    expect(await send(ada, '', { method: 'DELETE' })).toEqual({ deleted: true })
  })

  it('of all users are listed for the console only', async () => {
    await talks.say(ada, 'a3')
    const all = (headers: Headers) => talks.server.request('/observability/conversations', { headers })
    const isLegacy = config.auth !== undefined
    const response = await all(isLegacy ? DEV : keyHeader())
    const { data } = (await response.json()) as { data: { id: string; userId: string | null }[] }
    expect(data).toContainEqual(expect.objectContaining({ id: 'a3', userId: 'ada', agentIds: ['clerk'] }))
    const asUser = await all(ada)
    if (!isLegacy) expect(asUser.status).toBe(401)
    const found = asUser.status === 200 ? ((await asUser.json()) as { data: { id: string }[] }).data : []
    expect(found.map(({ id }) => id)).not.toContain('b1')
  })
})

describe('authorize', () => {
  const asked: AuthorizeRequest[] = []
  const authorize = (request: AuthorizeRequest) => {
    asked.push(request)
    return request.action !== 'delete'
  }
  const talks = new Talks({ authNext: { provider: provider(), authorize } })
  afterAll(() => talks.server.close())

  it('decides about conversations by their action and owner', async () => {
    await talks.say(ada, 'c1')
    asked.length = 0
    expect(await talks.use(ada, 'c1')).toEqual([200, 200, 404])
    const resource = { kind: 'conversation', id: 'c1', ownerId: 'ada' }
    expect(asked).toMatchObject([
      { action: 'read', resource },
      { action: 'update', resource },
      { action: 'delete', resource },
    ])
    asked.length = 0
    await talks.listed(ada)
    expect(asked).toMatchObject([
      { action: 'chat', resource: { kind: 'agent', id: 'clerk' } },
      { action: 'read', resource },
    ])
  })

  it('decides about the stream and the stop of a chat as about its conversation', async () => {
    await talks.say(ada, 'c1')
    const path = '/agents/clerk/chat/c1'
    const resource = { kind: 'conversation', id: 'c1', ownerId: 'ada' }
    for (const [method, end] of [
      ['GET', 'stream'],
      ['POST', 'stop'],
    ] as const) {
      asked.length = 0
      const { status } = await talks.server.request(`${path}/${end}`, { method, headers: ada })
      expect([status, ...asked]).toMatchObject([end === 'stop' ? 200 : 204, { action: 'chat', resource }])
    }
  })

  it('that refuses a chat has no stream of it, which clients resume without an error, and no stop', async () => {
    const refusing = new Talks({
      authNext: { provider: provider(), authorize: ({ action }) => action !== 'chat' },
    })
    const path = '/agents/clerk/chat/c1'
    const statuses = [
      (await refusing.server.request(`${path}/stream`, { headers: ada })).status,
      (await refusing.server.request(`${path}/stop`, { method: 'POST', headers: ada })).status,
    ]
    await refusing.server.close()
    expect(statuses).toEqual([204, 404])
  })
})
