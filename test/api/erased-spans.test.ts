import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/lib/clock.ts'
import { createDatabase, describeOnPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const SECRET = 'code-4711'
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => ({ seen: `${at} again` }),
})
const base = { name: 'X', instructions: 'Help.' }
const call = (toolName: string, input: object) => ({ toolCalls: [{ toolName, input }] })
const inTurn =
  (first: ReturnType<typeof call>): ScriptedAnswer =>
  ({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? `It is ${SECRET}` : first
const model = (first: ReturnType<typeof call>) => scriptedModel([inTurn(first)], { repeatLast: true })
const expert = createAgent({
  ...base,
  id: 'expert',
  model: model(call('look', { at: SECRET })),
  tools: [look],
})
const helper = createAgent({
  ...base,
  id: 'helper',
  model: model(call('ask_expert', { prompt: SECRET })),
  subAgents: [expert],
})
const endless = createAgent({
  ...base,
  id: 'endless',
  model: scriptedModel([{ text: 'never', delayMs: Infinity }], { repeatLast: true }),
})
const ask = createWorkflow({ id: 'ask', name: 'Ask' }).andAgent({
  id: 'answer',
  agent: helper,
  prompt: `Keep ${SECRET}`,
  map: () => 'done',
})

const servers: TestServer[] = []
let database: TestDatabase | undefined
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await database?.drop()
  database = undefined
})

/** The timer of the second pass, which the test lets ring. */
function start(url = ':memory:') {
  const late: (() => void)[] = []
  const clock = {
    now: () => systemClock.now(),
    timers: {
      start: (ms: number, callback: () => void, { unref = false } = {}) => {
        if (ms === 5000 && unref) {
          late.push(callback)
          return () => undefined
        }
        const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1))
        if (unref) timer.unref()
        return () => clearTimeout(timer)
      },
      busy: () => () => undefined,
    },
  }
  const server = new TestServer(
    { agents: [helper, expert, endless], workflows: [ask], database: url },
    { clock },
  )
  servers.push(server)
  return { server, late }
}

const traceOf = async (server: TestServer, traceId: string) =>
  JSON.stringify(await dataOf(server.request(`/observability/traces/${traceId}?limit=500`)))
const erase = (server: TestServer, path: string) =>
  dataOf(server.request(`/agents/${path}`, { method: 'DELETE' }))

/** The responses for the trace of an answer, and that of a workflow's step, after their conversation was deleted. */
async function erasedTraces(server: TestServer): Promise<{ answer: string; step: string }> {
  const options = { conversationId: 'secret' }
  const path = '/agents/helper/text'
  const { traceId } = await dataOf<{ traceId: string }>(
    server.post(path, { input: `Tell me ${SECRET}`, options }),
  )
  const { executionId } = await server.execute('ask', {}, options)
  const traceIds = [traceId, (await server.record('ask', executionId)).metadata.traceId]
  expect(new Set(traceIds).size).toBe(2)
  const read = () => Promise.all(traceIds.map((id) => traceOf(server, id)))
  for (const trace of await read()) {
    expect(trace).toContain('gen_ai.input.messages')
    expect(trace).toContain('gen_ai.tool.call.arguments')
    expect(trace).toContain(`${SECRET} again`)
  }
  await erase(server, 'helper/conversations/secret')
  const [answer = '', step = ''] = await Promise.all(
    traceIds.map(async (id) => (await server.request(`/observability/traces/${id}?limit=500`)).text()),
  )
  return { answer, step }
}

function expectNoContent({ answer, step }: Awaited<ReturnType<typeof erasedTraces>>): void {
  expect(answer).toContain('Trace not found')
  // the execution is kept
  expect(step).not.toContain(SECRET)
  expect(step).toContain('gen_ai.usage.input_tokens')
  expect(step).toContain('execute_tool look')
}

describe('the spans of a deleted conversation', () => {
  it('are deleted, and those of a workflow have no content of its agents, their sub-agents and tools any more', async () => {
    expectNoContent(await erasedTraces(start().server))
    expect(servers).toHaveLength(1)
  })
})

describeOnPostgres('the spans of a conversation that is deleted on Postgres', () => {
  it('are deleted, and those of a workflow have no content of its agents, their sub-agents and tools any more', async () => {
    database = await createDatabase()
    expectNoContent(await erasedTraces(start(database.url).server))
    expect(servers).toHaveLength(1)
  })

  it('are deleted also when another machine stores them later', async () => {
    database = await createDatabase()
    const [one, other] = [start(database.url), start(database.url)]
    const options = { conversationId: 'secret' }
    const input = `Tell me ${SECRET}`
    const answer = one.server.post('/agents/endless/text', { input, options })
    const runs = () =>
      dataOf<{ traceId: string }[]>(other.server.request('/agents/endless/history?status=running'))
    await expect.poll(runs).toHaveLength(1)
    const traceId = String((await runs())[0]?.traceId)
    await expect.poll(() => traceOf(other.server, traceId).catch(() => '')).toContain(SECRET)
    await erase(other.server, 'endless/conversations/secret')
    expect((await answer).status).toBe(503)
    // with the end of its spans, the machine stores them again
    await expect.poll(() => traceOf(one.server, traceId).catch(() => '')).toContain('"endTime":"')
    for (const ring of other.late) ring()
    const status = async () => (await other.server.request(`/observability/traces/${traceId}`)).status
    await expect.poll(status).toBe(404)
  })
})
