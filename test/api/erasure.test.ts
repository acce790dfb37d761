import fs from 'node:fs'
import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const SECRET = 'Zyxomma'
const note = createTool({
  name: 'note',
  description: 'Notes',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ noted: text }),
})
const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'Help',
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? `It is ${SECRET}`
          : { toolCalls: [{ toolName: 'note', input: { text: SECRET } }] },
    ],
    { repeatLast: true },
  ),
  tools: [note],
  memory: { workingMemory: z.object({ name: z.string().optional() }) },
})
const child = createWorkflow({ id: 'child', name: 'Child' }).andThen({
  id: 'keep',
  execute: ({ data, logger }) => {
    logger.info(`keeps ${SECRET}`)
    return { kept: data }
  },
})
const order = createWorkflow({ id: 'order', name: 'Order' })
  .andWorkflow({ id: 'child', workflow: child })
  .andAgent({
    id: 'ask',
    agent: helper,
    prompt: `Keep ${SECRET}`,
    map: ({ result }) => ({ answer: result.text }),
  })
const wait = createWorkflow({ id: 'wait', name: 'Wait' }).andThen({
  id: 'hold',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend(`for ${SECRET}`),
})
const broken = createWorkflow({ id: 'broken', name: 'Broken' }).andThen({
  id: 'fail',
  execute: (): number => {
    throw new Error(`no ${SECRET}`)
  },
})

type Rows = Readonly<Record<string, number>>
let project: TempProject | undefined
let database: TestDatabase | undefined
const servers: TestServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await database?.drop()
  project?.remove()
  database = undefined
  project = undefined
})

function start(url: string, { level = 'info' } = {}): TestServer {
  const server = new TestServer(
    { workflows: [order, child, wait, broken], agents: [helper], database: url },
    { level },
  )
  servers.push(server)
  return server
}

const remove = (server: TestServer, id: string) =>
  server.request(`/observability/executions/${id}`, { method: 'DELETE' })
const erase = (server: TestServer, userId: string, runs: readonly string[] = []) =>
  dataOf<{ rows: Rows; runs: string[] }>(server.post('/observability/erase', { userId, runs }))
const found = async (server: TestServer) =>
  dataOf<{ userId: string }[]>(server.request(`/observability/search?q=${SECRET}`), 200, ['indexedUntil'])

/** What a user has: executions of each end, one that waits, an answer, and working memory. */
async function fill(server: TestServer, userId: string): Promise<string[]> {
  const options = { userId, conversationId: `talk of ${userId}` }
  const { executionId } = await server.execute('order', { secret: SECRET }, options)
  await server.post('/workflows/broken/execute', { input: { secret: SECRET }, options })
  await server.post('/workflows/wait/execute', { input: { secret: SECRET }, options })
  await dataOf(server.post('/agents/helper/text', { input: `Tell me ${SECRET}`, options }))
  const memory = { method: 'PUT', json: { name: SECRET } }
  await dataOf(server.request(`/agents/helper/working-memory?userId=${userId}`, memory))
  await found(server)
  return [executionId]
}

function deletionTests(open: () => Promise<string>): void {
  it('an execution is deleted with its child executions, agent runs, events, logs and spans', async () => {
    const server = start(await open())
    const { executionId } = await server.execute('order', { secret: SECRET })
    const { metadata } = await server.record('order', executionId)
    await server.execute('child', {})
    // on Postgres the index follows the records
    await expect.poll(() => found(server)).not.toEqual([])
    const { rows } = await dataOf<{ rows: Rows }>(remove(server, executionId))
    expect(rows).toMatchObject({ executions: 2, payloads: 2, agent_runs: 1, spans: expect.any(Number) })
    expect(rows['spans']).toBeGreaterThan(4)
    expect(rows['logs']).toBeGreaterThan(0)
    await refusalOf(server.request(`/observability/traces/${metadata.traceId}`), 404)
    await refusalOf(server.request(`/workflows/order/executions/${executionId}`), 404)
    const left = await dataOf<{ id: string; workflowId: string }[]>(server.request('/workflows/executions'))
    expect(left.map(({ workflowId }) => workflowId)).toEqual(['child'])
    expect(await dataOf(server.request('/agents/helper/history'))).toEqual([])
    const logs = await dataOf<{ executionId?: string }[]>(server.request('/observability/logs?limit=100'))
    const named = logs.flatMap((record) => record.executionId ?? [])
    expect(new Set(named)).toEqual(new Set(left.map(({ id }) => id)))
    await refusalOf(remove(server, executionId), 404)
  })

  it('an execution that has not ended is deleted only after it was cancelled', async () => {
    const server = start(await open())
    const { executionId } = await server.execute('wait')
    expect(await refusalOf(remove(server, executionId), 409)).toBe(
      `Execution ${executionId} can't be deleted: ${executionId} has not ended. Cancel it first`,
    )
    await dataOf(server.post(`/workflows/wait/executions/${executionId}/cancel`))
    expect((await dataOf<{ rows: Rows }>(remove(server, executionId))).rows).toMatchObject({ executions: 1 })
  })

  it('a user is erased with everything, and others are not', async () => {
    const server = start(await open())
    const [mine = ''] = await fill(server, 'ann')
    const [other = ''] = await fill(server, 'bob')
    const { rows, runs } = await erase(server, 'ann', [mine, other])
    expect(runs).toEqual([mine])
    expect(rows).toMatchObject({ executions: 4, agent_runs: 2, conversations: 1, working_memory: 1 })
    expect(rows['spans']).toBeGreaterThan(8)
    const left = await dataOf<{ userId: string }[]>(server.request('/workflows/executions'))
    expect([left.length, new Set(left.map(({ userId }) => userId))]).toEqual([4, new Set(['bob'])])
    const conversations = await dataOf<{ userId: string }[]>(server.request('/observability/conversations'))
    expect(conversations.map(({ userId }) => userId)).toEqual(['bob'])
    expect(await dataOf(server.request('/observability/traces?userId=ann'))).toEqual([])
    expect(await dataOf(server.request('/observability/traces?userId=bob'))).not.toEqual([])
    const foundUsers = async () => new Set((await found(server)).map(({ userId }) => userId))
    await expect.poll(foundUsers).toEqual(new Set(['bob']))
    expect(await erase(server, 'ann')).toEqual({ rows: {}, runs: [] })
  })
}

describe('deletion on SQLite', () => {
  deletionTests(async () => ':memory:')

  it('of a user leaves nothing in the file and its WAL', async () => {
    project = new TempProject()
    const file = project.path('data.db')
    const server = start(`file:${file}`)
    await fill(server, 'ann')
    const contents = () => Buffer.concat([fs.readFileSync(file), fs.readFileSync(`${file}-wal`)])
    expect(contents().includes(SECRET)).toBe(true)
    await erase(server, 'ann')
    const left = contents()
    const texts = [SECRET, SECRET.toLowerCase(), 'talk of ann', '"ann"']
    expect(texts.filter((text) => left.includes(text))).toEqual([])
  })
})

describeOnPostgres('deletion on Postgres', () => {
  deletionTests(async () => {
    database = await createDatabase()
    return database.url
  })
})
