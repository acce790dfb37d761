import {
  createAgent,
  createMcpServer,
  createTool,
  createWorkflow,
  maxLength,
  type OutputGuardrail,
  redactPatterns,
} from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { onlyModelProvider } from '../support/model/model-env.ts'
import { streamed, thinking } from '../support/model/model-provider.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const provider = onlyModelProvider()
const CARD = '4111 1111 1111 1111'
const seen: unknown[] = []
const noSecrets: OutputGuardrail = ({ text, object }) => {
  seen.push(text ?? object)
  return (text ?? JSON.stringify(object)).includes('secret') ? { block: 'It is confidential' } : undefined
}
const model = scriptedModel(['Fine.'], { repeatLast: true })
const base = { instructions: 'Help.', model }

const guarded = createAgent({
  ...base,
  id: 'guarded',
  name: 'Guarded',
  guardrails: {
    input: [maxLength(60), ({ text }) => (text.includes('bomb') ? { block: 'No weapons' } : undefined)],
  },
})
const redacting = createAgent({
  ...base,
  id: 'redacting',
  name: 'R',
  guardrails: { input: [redactPatterns(['card'])] },
})
/** Its time grows with the fifth power of the length. */
const SLOW = /\d*\d*\d*\d*x/
const HOSTILE = '1'.repeat(5000)
const slow = createAgent({
  ...base,
  id: 'slow',
  name: 'Slow',
  guardrails: { input: [redactPatterns([SLOW])] },
})
const slowAnswers = createAgent({
  id: 'slow-answers',
  name: 'Slow answers',
  instructions: 'x',
  model: scriptedModel([`Hello. Your number is ${HOSTILE}. Bye.`, { object: { note: HOSTILE } }]),
  guardrails: { output: [redactPatterns([SLOW])] },
})
const silent = createAgent({
  id: 'silent',
  name: 'Silent',
  instructions: 'x',
  guardrails: { output: [noSecrets] },
})
const masking = createAgent({
  id: 'masking',
  name: 'Masking',
  instructions: 'x',
  guardrails: { output: [redactPatterns(['card', 'email', /ACME-\d+/])] },
})
const leaking = scriptedModel(['One. The secret is 42. Two.'], { repeatLast: true })
const step = createAgent({
  ...base,
  id: 'step',
  name: 'Step',
  model: leaking,
  guardrails: { output: [noSecrets] },
})
const manager = createAgent({
  id: 'manager',
  name: 'Manager',
  instructions: 'x',
  model: scriptedModel([{ toolCalls: [{ toolName: 'ask_step', input: { prompt: 'go' } }] }, 'done'], {
    repeatLast: true,
  }),
  subAgents: [step],
})
const failing = createAgent({
  ...base,
  id: 'failing',
  name: 'Failing',
  guardrails: {
    input: [
      ({ text }) => {
        if (text.includes('throw')) throw new Error('the filter is down')
        return text.includes('nonsense') ? (false as unknown as undefined) : undefined
      },
    ],
    output: [({ text }) => (text === 'Fine.' ? undefined : { replace: 1 })],
  },
})
const add = createTool({ name: 'add', description: 'Adds', inputSchema: z.object({}), execute: () => 5 })
const counting = createAgent({
  id: 'counting',
  name: 'Counting',
  instructions: 'x',
  model: scriptedModel(
    [{ text: 'First the secret.', toolCalls: [{ toolName: 'add', input: {} }] }, 'Then this.'],
    {
      repeatLast: true,
    },
  ),
  tools: [add],
  guardrails: { output: [noSecrets] },
})
const plain = createWorkflow({ id: 'plain', name: 'Plain' }).andAgent({
  id: 'ask',
  agent: step,
  prompt: 'go',
})
const mapped = createWorkflow({ id: 'mapped', name: 'Mapped' }).andAgent({
  id: 'ask',
  agent: step,
  prompt: 'go',
  map: ({ result: { text, finishReason, reason = '' } }) => ({ text, finishReason, reason }),
})
const agents = [guarded, redacting, slow, slowAnswers, silent, masking, step, manager, failing, counting]
const server = new TestServer({
  agents,
  workflows: [plain, mapped],
  mcpServers: [createMcpServer({ id: 'desk', name: 'Desk', version: '1', agents: [step] })],
})
afterAll(() => server.close())
beforeEach(() => void seen.splice(0))

type Body = Readonly<Record<string, unknown>>
const ask = (agent: string, way: string, body: Body) => server.post(`/agents/${agent}/${way}`, body)
const text = (agent: string, input: unknown, options: Body = {}) =>
  dataOf<Body>(ask(agent, 'text', { input, options }))
const partsOf = async (agent: string, way: string, body: Body) =>
  (await messagesOf(ask(agent, way, body))).map(({ event }) => event as unknown as Body)
const chat = (agent: string, sent: string, id = 'talk') =>
  partsOf(agent, 'chat', { id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: sent }] }] })
const newest = async (agent: string) =>
  (await dataOf<Body[]>(server.request(`/agents/${agent}/history?limit=1`)))[0] ?? {}
const traceOf = async ({ traceId }: Body) => {
  const path = `/observability/traces/${String(traceId)}`
  return JSON.stringify(await dataOf(server.request(path)))
}
const shown = (parts: readonly Body[]) =>
  parts.flatMap((part) => (part['type'] === 'text-delta' ? [part['text'] ?? part['delta']] : [])).join('')
const schema = { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] }

describe('an input that a guardrail blocks', () => {
  it('is answered with the reason over every road, and neither sent to the model nor recorded', async () => {
    const before = model.calls.length
    const blocked = { finishReason: 'guardrail', reason: 'No weapons' }
    const input = 'How to build a bomb?'
    const answer = await text('guarded', input)
    expect(answer).toMatchObject({ ...blocked, text: '', steps: [], usage: { totalTokens: 0 } })
    expect(await dataOf(ask('guarded', 'object', { input, schema }))).toMatchObject({
      ...blocked,
      object: null,
    })
    expect((await partsOf('guarded', 'stream', { input })).at(-1)).toMatchObject({
      type: 'finish',
      ...blocked,
    })
    expect((await partsOf('guarded', 'stream-object', { input, schema })).at(-1)).toMatchObject(blocked)
    expect(await chat('guarded', input)).toMatchObject([
      { type: 'start' },
      { type: 'finish', finishReason: 'content-filter', messageMetadata: blocked },
    ])
    expect(model.calls).toHaveLength(before)
    const run = await newest('guarded')
    expect(run).toMatchObject({ status: 'completed', ...blocked, input: null, output: null, steps: [] })
    expect(await traceOf(answer)).toContain('No weapons')
    expect((await traceOf(answer)) + JSON.stringify(run) + JSON.stringify(server.logs)).not.toContain('bomb')
    await chat('guarded', 'Hello')
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('bomb')
  })

  it('is left out of a conversation that the client sends again', async () => {
    const message = (role: string, sent: string) => ({ role, content: sent })
    const input = [message('user', 'a bomb'), message('assistant', ''), message('user', 'Hello')]
    expect((await text('guarded', input))['text']).toBe('Fine.')
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('bomb')
    expect(JSON.stringify(await newest('guarded'))).not.toContain('bomb')
  })
})

describe('an expression whose search takes too long', () => {
  it('takes a second of the server at most, and the model receives nothing of the text', async () => {
    const earlier = Array.from({ length: 20 }, () => ({ role: 'user', content: HOSTILE }))
    const startedAt = performance.now()
    await text('slow', [...earlier, { role: 'user', content: `Hi ${HOSTILE}` }])
    // a second for each would be 21
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('1111111111')
    expect(JSON.stringify(await newest('slow'))).not.toContain('1111111111')
  })

  it('replaces an answer as a whole', async () => {
    const parts = await partsOf('slow-answers', 'stream', { input: 'Hi' })
    expect(shown(parts)).toBe('Hello. [redacted]')
    expect(JSON.stringify(await newest('slow-answers'))).not.toContain('1111111111')
  })

  it('sends nothing of an object, which then does not fit its schema', async () => {
    const refused = await refusalOf(ask('slow-answers', 'object', { input: 'Hi', schema }), 500)
    expect(refused).toContain('does not match the schema')
    expect(refused).not.toContain('1111111111')
    expect(JSON.stringify(await newest('slow-answers'))).not.toContain('1111111111')
  })
})

describe('an input that a guardrail replaces', () => {
  it('is what the model, the trace, the history and the conversation have', async () => {
    const answer = await text('redacting', `My card is ${CARD}.`, { conversationId: 'paying' })
    expect(model.prompts.at(-1)).toBe('My card is [card].')
    expect(await newest('redacting')).toMatchObject({ input: 'My card is [card].' })
    expect(await traceOf(answer)).toContain('My card is [card].')
    expect(await traceOf(answer)).not.toContain('1111 1111')
    await text('redacting', 'And now?', { conversationId: 'paying' })
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('My card is [card].')
    await chat('redacting', `Take ${CARD}`)
    expect(JSON.stringify(await newest('redacting'))).toContain('Take [card]')
    expect(JSON.stringify(await newest('redacting'))).not.toContain('1111 1111')
  })
})

describe('an answer that a guardrail blocks', () => {
  const blocked = { finishReason: 'guardrail', reason: 'It is confidential' }

  it('is not shown, recorded, traced or remembered', async () => {
    const answer = await text('step', 'Go', { conversationId: 'c' })
    expect(answer).toMatchObject({ ...blocked, text: '', steps: [] })
    expect(answer['usage']).not.toMatchObject({ totalTokens: 0 })
    const run = await newest('step')
    expect(run).toMatchObject({ status: 'completed', ...blocked, output: null, steps: [] })
    const everything = (await traceOf(answer)) + JSON.stringify([answer, run, server.logs])
    expect(everything).not.toContain('secret')
    await text('step', 'Again', { conversationId: 'c' })
    expect(JSON.stringify(leaking.calls.at(-1)?.prompt)).not.toContain('Go')
  })

  it('ends a stream before the sentence that is blocked', async () => {
    provider.script(streamed(['One. ', 'The sec', 'ret is', ' 42. ', 'Two.']))
    const parts = await partsOf('silent', 'stream', { input: 'Hi' })
    expect(shown(parts)).toBe('One. ')
    expect(parts.at(-1)).toMatchObject({ type: 'finish', ...blocked })
    provider.script(streamed(['One. ', 'The sec', 'ret is', ' 42. ', 'Two.']))
    const chunks = await chat('silent', 'Hi')
    expect(shown(chunks)).toBe('One. ')
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', messageMetadata: blocked })
    expect(await newest('silent')).toMatchObject({ ...blocked, output: null, steps: [] })
  })

  it('has no text of its earlier steps, and no reasoning', async () => {
    expect(await text('counting', 'Hi')).toMatchObject({ ...blocked, steps: [], toolCalls: [] })
    provider.script(thinking('the secret plan', 'Fine.'))
    const parts = await partsOf('silent', 'stream', { input: 'Hi' })
    expect(parts.at(-1)).toMatchObject({ finishReason: 'stop' })
    expect(JSON.stringify(parts)).not.toContain('secret')
    expect(JSON.stringify(await newest('silent'))).not.toContain('secret')
  })

  it('is an object that is not shown in part either', async () => {
    provider.script(streamed(['{"note":"the sec', 'ret"}']))
    const parts = await partsOf('silent', 'stream-object', { input: 'Hi', schema })
    expect(parts).toMatchObject([{ type: 'finish', object: null, ...blocked }])
    expect(seen).toEqual([{ note: 'the secret' }])
  })

  it('fails a step, is told to the calling agent, rejects an A2A task and fails an MCP tool', async () => {
    await refusalOf(server.post('/workflows/plain/execute', { input: {} }), 500)
    const executions = await dataOf(server.request('/workflows/executions?workflowId=plain'))
    expect(JSON.stringify(executions)).toContain('It is confidential')
    expect((await server.execute('mapped')).result).toEqual({ text: '', ...blocked })
    expect(await text('manager', 'Hi')).toMatchObject({
      text: 'done',
      toolResults: [{ output: 'Blocked by a guardrail: It is confidential' }],
    })
    const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
    const task: unknown = await (await server.post('/agents/step/a2a', rpc, { 'A2A-Version': '1.0' })).json()
    expect(JSON.stringify(task)).toContain('TASK_STATE_REJECTED')
    expect(JSON.stringify(task)).toContain('It is confidential')
    const call = { name: 'ask_step', arguments: { prompt: 'Hi' } }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const result = await server.post(
      '/mcp/desk',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      headers,
    )
    const body = await result.text()
    expect(body).toContain('It is confidential')
    expect(body).toContain('"isError":true')
    expect(body + JSON.stringify(task)).not.toContain('secret')
  })
})

describe('an answer that a guardrail replaces', () => {
  it('is redacted before it is sent, whatever the parts in which it arrives', async () => {
    const whole = `Pay with 4111 1111. 1111 1111 or ask bob@example.com about ACME-77!`
    for (const size of [1, 3, 7, 100]) {
      provider.script(streamed(whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []))
      const parts = await partsOf('masking', 'stream', {
        input: 'Hi',
        options: { conversationId: 'redacted' },
      })
      expect(shown(parts)).toBe('Pay with [card] or ask [email] about [redacted]!')
      expect(await newest('masking')).toMatchObject({
        output: 'Pay with [card] or ask [email] about [redacted]!',
      })
    }
    expect(JSON.stringify(provider.shown())).not.toContain('1111 1111')
  })

  it('may be an object', async () => {
    provider.script(streamed([`{"note":"${CARD}"}`]))
    const parts = await partsOf('masking', 'stream-object', { input: 'Hi', schema })
    expect(parts.at(-1)).toMatchObject({ object: { note: '[card]' } })
    expect(JSON.stringify(parts)).not.toContain('1111 1111')
  })
})

describe('a guardrail that fails', () => {
  it('fails the request, with its error in the log and the trace only', async () => {
    server.logs.length = 0
    for (const input of ['throw', 'nonsense']) {
      const refused = await refusalOf(ask('failing', 'text', { input }), 500)
      expect(JSON.stringify(refused)).toContain('A guardrail of agent')
      expect(JSON.stringify(refused)).not.toContain('the filter is down')
    }
    expect(JSON.stringify(server.logs)).toContain('the filter is down')
    expect((await text('failing', 'Hi'))['text']).toBe('Fine.')
  })
})

describe('an object', () => {
  const rule: OutputGuardrail = ({ object }) => {
    const { note } = object as { note: string }
    if (note === 'throw') throw new Error('the filter is down')
    if (note === 'block') return { block: 'It is confidential' }
    if (note === 'never') return new Promise(() => undefined)
    return { replace: note === 'break' ? { note: 7 } : { note: 'replaced' } }
  }
  const answering = (note: string) =>
    createAgent({
      id: note,
      name: note,
      instructions: 'x',
      model: scriptedModel([{ object: { note } }], { repeatLast: true }),
      guardrails: { output: [rule] },
    })
  const notes = ['replace', 'break', 'throw', 'block', 'never']
  const ruled = notes.map((note) => answering(note))
  const typed = z.object({ note: z.string() })
  const flows = ruled.map((one) =>
    createWorkflow({ id: one.id }).andAgent({ id: 'ask', agent: one, prompt: 'Go', schema: typed }),
  )
  const objects = new TestServer({ agents: ruled, workflows: flows })
  afterAll(() => objects.close())
  const sent = (note: string, way: string) => objects.post(`/agents/${note}/${way}`, { input: 'Go', schema })
  /** The response, and the record. */
  const execute = async (note: string, status: number) => {
    const response = await objects.post(`/workflows/${note}/execute`, { input: {} })
    expect(response.status).toBe(status)
    const recorded = await dataOf(objects.request(`/workflows/executions?workflowId=${note}`))
    return (await response.text()) + JSON.stringify(recorded)
  }
  const lastPart = async (note: string) => (await messagesOf(sent(note, 'stream-object'))).at(-1)?.event
  const run = async (note: string) =>
    (await dataOf<Body[]>(objects.request(`/agents/${note}/history?limit=1`)))[0]

  it('that a guardrail replaces is replaced over every road', async () => {
    const object = { note: 'replaced' }
    expect(await dataOf(sent('replace', 'object'))).toMatchObject({ object })
    expect(await lastPart('replace')).toMatchObject({ type: 'finish', object })
    expect(await execute('replace', 200)).toContain('"result":{"note":"replaced"}')
    expect(await run('replace')).toMatchObject({ output: object })
  })

  it('that a guardrail replaces by one that breaks the schema is an error', async () => {
    const problem = 'The answer does not match the schema: answer.note'
    expect(await refusalOf(sent('break', 'object'), 500)).toContain(problem)
    expect(await lastPart('break')).toMatchObject({
      type: 'error',
      error: expect.stringContaining(problem) as string,
    })
    expect(await execute('break', 500)).toContain(problem)
    expect(await run('break')).toMatchObject({ status: 'error' })
  })

  it('that a guardrail blocks is not sent or recorded', async () => {
    const blocked = { object: null, finishReason: 'guardrail', reason: 'It is confidential' }
    expect(await dataOf(sent('block', 'object'))).toMatchObject(blocked)
    expect(await lastPart('block')).toMatchObject({ type: 'finish', ...blocked })
    expect(await execute('block', 500)).toContain('It is confidential')
    expect(await run('block')).toMatchObject({ status: 'completed', output: null, reason: blocked.reason })
  })

  it('has the error of a guardrail that throws in its trace', async () => {
    await refusalOf(sent('throw', 'object'), 500)
    const { traceId } = (await run('throw')) ?? {}
    const trace = await dataOf(objects.request(`/observability/traces/${String(traceId)}`))
    expect(JSON.stringify(trace)).toContain('A guardrail of agent \\"throw\\" failed: the filter is down')
  })

  it.each(['throw', 'never'])('does not pass a guardrail that fails: %s', async (note) => {
    const isFake = note === 'never'
    if (isFake) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const failed = `A guardrail of agent "${note}" failed`
      const replies = [refusalOf(sent(note, 'object'), 500), lastPart(note), execute(note, 500)] as const
      const settled = Promise.all(replies)
      let isSettled = false
      void settled.finally(() => (isSettled = true))
      while (isFake && !isSettled) await vi.advanceTimersByTimeAsync(1000)
      const [refusal, part, body] = await settled
      expect(refusal).toContain(failed)
      expect(part).toMatchObject({ type: 'error', error: failed })
      expect(body).toContain('A guardrail of agent')
      expect(JSON.stringify([refusal, part])).not.toContain('the filter is down')
    } finally {
      vi.useRealTimers()
    }
    expect(await run(note)).toMatchObject({ status: 'error', output: null })
  })
})
