import { createAgent, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TestServer } from '../../support/server/test-server.ts'
import { OpenaiTestServer, users } from './openai-test-server.ts'

const answering = () => scriptedModel([({ prompt }) => JSON.stringify(prompt)], { repeatLast: true })
const agent = (id: string) => createAgent({ id, name: id, instructions: 'Be brief.', model: answering() })
const open = agent('open')
const secret = agent('secret')
const barred = agent('barred')
const inner = agent('inner')
const report = createWorkflow({ id: 'report', startedBy: 'operators' }).andThen({ id: 'a', execute: () => 1 })
const mine = createWorkflow({ id: 'mine' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('why'),
})

const openai = new OpenaiTestServer({
  agents: [open, secret, barred],
  workflows: [
    report,
    mine,
    createWorkflow({ id: 'asks' }).andAgent({ id: 'inner', agent: inner, prompt: () => 'x' }),
  ],
  authNext: {
    ...users,
    consoleRoutes: ['/agents/secret/*', 'GET /agents/:id/history'],
    authorize: ({ resource }) => resource.id !== 'barred',
  },
})
let ada: OpenAI
beforeAll(async () => {
  vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'console-key-0f3a9c')
  await openai.open()
  ada = openai.client('ada')
})
afterAll(async () => {
  await openai.close()
  vi.unstubAllEnvs()
})

async function statusOf(sent: PromiseLike<unknown>): Promise<unknown> {
  const error: unknown = await Promise.resolve(sent).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  return (error as { status?: number } | undefined)?.status ?? 200
}

const say = (client: OpenAI, model: string) =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content: '{}' }] })

describe('a model that its own route refuses', () => {
  it('is not listed', async () => {
    const { data } = await ada.models.list()
    expect(data.map(({ id }) => id)).toEqual(['open', 'workflow/mine', 'workflow/asks'])
  })

  it.each(['secret', 'barred', 'inner', 'workflow/report', 'workflow/none'])(
    'does not exist: %s',
    async (model) => {
      expect(await statusOf(ada.models.retrieve(model))).toBe(404)
      expect(await statusOf(say(ada, model))).toBe(404)
      expect(await statusOf(ada.responses.create({ model, input: '{}' }))).toBe(404)
    },
  )
})

describe('credentials', () => {
  it.each([undefined, 'wrong'])('of %s are an invalid API key', async (token) => {
    for (const [method, path] of [
      ['GET', '/models'],
      ['POST', '/chat/completions'],
      ['GET', '/responses/resp_1'],
      ['POST', '/embeddings'],
    ] as const) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const response = await fetch(openai.url + path, { method, headers })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({
        error: { type: 'invalid_request_error', code: 'invalid_api_key', param: null },
      })
    }
  })

  it('name the user, whatever the request claims', async () => {
    const { response } = await ada.chat.completions
      .create({ model: 'open', user: 'bob', messages: [{ role: 'user', content: 'Hi' }] })
      .withResponse()
    const history = await fetch(openai.url.replace('/v1', '/agents/open/history'), {
      headers: { 'x-console-access-key': 'console-key-0f3a9c' },
    })
    const { data } = (await history.json()) as { data: { id: string; userId: string | null }[] }
    const id = response.headers.get('x-execution-id')
    expect(data.find((run) => run.id === id)?.userId).toBe('ada')
  })
})

describe('a response of another user', () => {
  const owned = new OpenaiTestServer({ agents: [open], workflows: [mine], authNext: users })
  beforeAll(() => owned.open())
  afterAll(() => owned.close())

  it.each(['open', 'workflow/mine'])('of %s is not read, continued, cancelled or deleted', async (model) => {
    const [ada, bob] = [owned.client('ada'), owned.client('bob')]
    const { id } = await ada.responses.create({ model, input: '{}' })
    expect(await statusOf(bob.responses.retrieve(id))).toBe(404)
    expect(await statusOf(bob.responses.cancel(id))).toBe(404)
    expect(await statusOf(bob.responses.delete(id))).toBe(404)
    expect(
      await statusOf(bob.responses.create({ model: 'open', input: 'x', previous_response_id: id })),
    ).toBe(400)
    const item = `msg_${id.replace('resp_', '')}_0`
    expect(
      await statusOf(bob.responses.create({ model: 'open', input: [{ type: 'item_reference', id: item }] })),
    ).toBe(404)
    expect((await ada.responses.retrieve(id)).id).toBe(id)
  })

  it('is not that of a user without an id, who finds none', async () => {
    const [ada, nobody] = [owned.client('ada'), owned.client('nobody')]
    const { id } = await nobody.responses.create({ model: 'open', input: 'Hi' })
    expect(await statusOf(nobody.responses.retrieve(id))).toBe(404)
    expect(await statusOf(ada.responses.retrieve(id))).toBe(404)
  })
})

describe('the option openai', () => {
  const messages = [
    { role: 'system', content: 'Speak French' },
    { role: 'user', content: 'Hi' },
  ]

  it('switches the routes off, for routes of the project', async () => {
    const server = new TestServer(
      {
        agents: [open],
        openai: false,
        configureApp: (app) => void app.get('/v1/models', (c) => c.text('own')),
      },
      { described: false },
    )
    expect(await (await server.request('/v1/models')).text()).toBe('own')
    const gone = await server.post('/v1/chat/completions', { model: 'open', messages })
    expect([gone.status, await gone.json()]).toMatchObject([404, { success: false }])
    const doc = (await (await server.request('/doc')).json()) as { paths: object }
    expect(Object.keys(doc.paths).filter((path) => path.startsWith('/v1/'))).toEqual(['/v1/models'])
    await server.close()
  })

  it('otherwise refuses routes of the project at the same paths', async () => {
    const server = new TestServer({
      agents: [open],
      configureApp: (app) => void app.get('/v1/models', (c) => c.text('own')),
    })
    expect((await server.request('/v1/models')).status).toBe(503)
    expect(JSON.stringify(server.logs)).toContain('GET /v1/models is a route of agentserver (listModels)')
    await server.close()
  })

  it('leaves the errors of other routes at /v1 as they are', async () => {
    const server = new TestServer({
      agents: [open],
      configureApp: (app) =>
        void app.get('/v1/orders', () => {
          throw new Error('broken')
        }),
    })
    expect(await (await server.request('/v1/orders')).json()).toMatchObject({ success: false })
    await server.close()
  })

  it.each([
    ['ignore', 200, false],
    ['append', 200, true],
    ['refuse', 400, false],
  ] as const)('%ss the system messages of clients', async (systemMessages, status, isHeard) => {
    const server = new TestServer({ agents: [open], openai: { systemMessages } })
    const response = await server.post('/v1/chat/completions', { model: 'open', messages })
    expect(response.status).toBe(status)
    const text = await response.text()
    if (status === 200) expect(text.includes('Speak French')).toBe(isHeard)
    else expect(JSON.parse(text)).toMatchObject({ error: { param: 'messages[0].role' } })
    const instructed = await server.post('/v1/responses', { model: 'open', input: 'Hi', instructions: 'x' })
    expect(instructed.status).toBe(status)
    await server.close()
  })

  it('takes the user of a request without an auth provider', async () => {
    const server = new TestServer({ agents: [open] })
    await server.post('/v1/chat/completions', { model: 'open', user: 'ada', messages })
    const history = await server.request('/agents/open/history')
    expect(await history.json()).toMatchObject({ data: [{ userId: 'ada' }] })
    await server.close()
  })
})
