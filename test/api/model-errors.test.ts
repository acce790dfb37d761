import { createAgent, createWorkflow } from 'agentserver'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { KEY, onlyModelProvider } from '../support/model/model-env.ts'
import { completion, refusal, streamed } from '../support/model/model-provider.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const provider = onlyModelProvider()
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.' })
const manager = createAgent({ id: 'manager', name: 'Manager', instructions: 'Ask.', subAgents: [helper] })
const consult = createWorkflow({ id: 'consult', name: 'Consult' }).andAgent({
  id: 'ask',
  agent: helper,
  prompt: () => 'Hi',
})
const config = { agents: [helper, manager], workflows: [consult] }
const development = new TestServer(config)
const production = new TestServer(config, { production: true })
afterAll(async () => {
  await development.close()
  await production.close()
})

const CAUSE = 'org-4711 has no capacity in eu-2'
const refused = (status: number, headers: Record<string, string> = {}) =>
  refusal(status, `${CAUSE}: ${KEY}`, { 'retry-after-ms': '1', ...headers })
const input = { input: 'Hi' }
const UNAVAILABLE = 'The model provider is unavailable (503)'
const FAILED = 'The model provider failed (500)'
/** Words of the provider, and names of variables. */
const INTERNAL = /org-4711|eu-2|OPENAI|API_KEY|AGENTSERVER/

describe('an error of the model provider', () => {
  it.each([429, 500, 502, 503, 529])('%i is a 503 with the time to retry', async (status) => {
    for (const server of [development, production]) {
      provider.script(refused(status, { 'retry-after': '20' }))
      const named = await server.post('/agents/helper/text', input)
      expect([named.status, named.headers.get('retry-after')]).toEqual([503, '20'])
      provider.script(refused(status))
      const unnamed = await server.post('/agents/helper/text', input)
      expect([unnamed.status, Number(unnamed.headers.get('retry-after')) > 0]).toEqual([503, true])
    }
  })

  it.each([400, 401, 403, 404])('%i is a 500: a retry would not help', async (status) => {
    for (const server of [development, production]) {
      provider.script(refused(status))
      const response = await server.post('/agents/helper/object', { ...input, schema: { type: 'object' } })
      expect([response.status, response.headers.get('retry-after')]).toEqual([500, null])
    }
  })

  it.each([
    [401, 500],
    [400, 500],
    [429, 503],
    [500, 503],
  ])('%i shows its redacted cause in development', async (status, shown) => {
    provider.script(refused(status))
    const message = await refusalOf(development.post('/agents/helper/text', input), shown)
    expect(message).toContain(`(${status}): ${CAUSE}: [redacted]`)
  })

  it('is generic for callers in production, in every form of answer', async () => {
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    for (const [status, shown, text] of [
      [401, 500, FAILED],
      [500, 503, UNAVAILABLE],
    ] as const) {
      provider.script(refused(status))
      for (const way of ['text', 'object']) {
        const body = { ...input, ...(way === 'object' && { schema: { type: 'object' } }) }
        expect(await refusalOf(production.post(`/agents/helper/${way}`, body), shown)).toBe(text)
      }
      const parts = await messagesOf(production.post('/agents/helper/stream', input))
      expect(parts.at(-1)?.event).toEqual({ type: 'error', error: text })
      const chunks = await messagesOf(production.post('/agents/helper/chat', { id: 'c', messages }))
      expect(chunks.at(-1)?.event).toEqual({ type: 'error', errorText: text })
      const params = {
        message: { messageId: 'm', role: 'user', kind: 'message', parts: [{ kind: 'text', text: 'Hi' }] },
      }
      const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params }
      const task = await (await production.post('/agents/helper/a2a', request)).text()
      expect(task).toContain(text)
      expect(task + JSON.stringify([parts, chunks])).not.toMatch(INTERNAL)
    }
  })

  it('in the middle of a stream is generic in production', async () => {
    const piece = { id: 'x', choices: [{ index: 0, delta: { content: 'It is' } }] }
    provider.script({ kind: 'stream', chunks: [piece, { error: { message: CAUSE } }], end: 'done' })
    const failed = await messagesOf(production.post('/agents/helper/stream', input))
    expect(failed.at(-1)?.event).toEqual({ type: 'error', error: FAILED })
    provider.script(streamed(['It is'], 'disconnect'))
    const cut = await messagesOf(production.post('/agents/helper/stream', input))
    expect(cut.at(-1)?.event).toEqual({ type: 'error', error: UNAVAILABLE })
  })

  it('is generic in production for a calling agent and a workflow', async () => {
    const asks = { id: 'c1', name: 'ask_helper', input: { prompt: 'Hi' } }
    provider.script(completion([asks]), refused(401), completion('Nobody knows'))
    const answer = await dataOf<{ toolResults: unknown[] }>(production.post('/agents/manager/text', input))
    expect(answer.toolResults).toMatchObject([{ error: FAILED }])
    expect(JSON.stringify(provider.shown())).not.toMatch(/org-4711/)
    provider.script(refused(401))
    const events = await messagesOf(production.post('/workflows/consult/stream', { input: {} }))
    expect(JSON.stringify(events)).toContain(FAILED)
    expect(JSON.stringify(events)).not.toMatch(INTERNAL)
  })

  it('has its cause in the log and the trace in production, without the key', async () => {
    provider.script(refused(401))
    production.logs.length = 0
    await refusalOf(production.post('/agents/helper/text', input), 500)
    const logs = JSON.stringify(production.logs)
    expect(logs).toContain(`openai rejected the key in OPENAI_API_KEY (401): ${CAUSE}: [redacted]`)
    const [run] = await dataOf<{ traceId: string; error: string }[]>(
      production.request('/agents/helper/history?limit=1'),
    )
    expect(run?.error).toBe(FAILED)
    const trace = async () =>
      JSON.stringify(await dataOf(production.request(`/observability/traces/${run?.traceId}`)))
    await expect.poll(trace).toContain(CAUSE)
    expect(logs + (await trace())).not.toContain(KEY)
  })
})

describe('a missing or wrong configuration of the model', () => {
  it('is generic for callers in production, and in the log', async () => {
    vi.stubEnv('OPENAI_BASE_URL', '')
    vi.stubEnv('OPENAI_API_KEY', '')
    const cases = [
      ['', 503, 'No language model is configured'],
      ['anthropic/claude-x', 503, UNAVAILABLE],
      ['nonsense', 500, 'The model is not configured correctly (500)'],
    ] as const
    for (const [model, status, message] of cases) {
      vi.stubEnv('AGENTSERVER_MODEL', model)
      production.logs.length = 0
      for (const way of ['text', 'stream'])
        expect(await refusalOf(production.post(`/agents/helper/${way}`, input), status)).toBe(message)
      expect(JSON.stringify(production.logs)).toMatch(INTERNAL)
    }
  })
})
