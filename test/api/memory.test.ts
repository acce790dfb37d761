import { createAgent, maxLength, redactPatterns } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import type { ScriptedAnswer } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../support/until.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const servers: TestServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

function serve(answers: readonly ScriptedAnswer[], memory: object) {
  const model = scriptedModel(answers)
  const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model, memory })
  const server = new TestServer({ agents: [agent] })
  servers.push(server)
  const say = (input: unknown, options: object = { conversationId: 'c' }) =>
    dataOf<{ text: string }>(server.post('/agents/helper/text', { input, options }))
  const prompts = () => model.calls.map(({ prompt }) => JSON.stringify(prompt))
  const history = () =>
    dataOf<{ input: string; status: string; usage: { inputTokens: number } | null; traceId: string }[]>(
      server.request('/agents/helper/history'),
    )
  return { server, model, say, prompts, history }
}

const isSummary = (prompt: string) => prompt.includes('You summarise conversations')
/** Answers requests for summaries with the messages that they have. */
const summarising = (n: number): ScriptedAnswer[] =>
  Array.from({ length: n }, () => ({ prompt }) => {
    const text = JSON.stringify(prompt)
    if (!isSummary(text)) return 'ok'
    return `S(${[...text.matchAll(/user: (\w+)/g)].map(([, word]) => word).join(' ')}${text.includes('earlier_summary>') && /S\(/.test(text) ? ' and before' : ''})`
  })

describe('a summary', () => {
  it('of older messages is made once for a block, in the background, and sent with the last ones', async () => {
    const { say, prompts, history } = serve(summarising(20), { lastMessages: 4, summary: true })
    const summaries = () => prompts().filter(isSummary)
    const answers = () => prompts().filter((prompt) => !isSummary(prompt))
    for (const word of ['one', 'two']) await say(word)
    expect(summaries()).toEqual([])
    await say('three')
    await until(async () => (await history()).filter(({ status }) => status === 'completed').length === 4)
    expect(summaries()).toHaveLength(1)
    expect(summaries()[0]).toContain('user: two')
    await say('four')
    expect(answers().at(-1)).toContain('S(one two)')
    expect(answers().at(-1)).not.toContain('"one"')
    expect(answers().at(-1)).toContain('three')
    await say('five')
    await until(() => summaries().length === 2)
    // continues the earlier one, with new messages only
    expect(summaries()[1]).toContain('S(one two)')
    expect(summaries()[1]).not.toContain('user: two')
    expect(summaries()[1]).toContain('user: four')
    // the newest of the seven answers is the second summary
    await until(async () => (await history()).filter(({ status }) => status === 'completed').length === 7)
    const [newest] = await history()
    expect(newest?.usage?.inputTokens).toBeGreaterThan(0)
    expect(newest?.traceId).toMatch(/^[0-9a-f]{32}$/)
  })

  it('is kept while a client sends the whole conversation, until it edits what was summarised', async () => {
    const { server, say, prompts } = serve(summarising(20), { lastMessages: 2, summary: true })
    const summaries = () => prompts().filter(isSummary).length
    const ask = (words: readonly string[], edited?: { readonly messageId: string }) => {
      const messages = words.flatMap((word, index) => [
        { role: 'user', content: word },
        ...(index === words.length - 1
          ? []
          : [{ role: 'assistant', content: [{ type: 'text', text: 'ok' }] }]),
      ])
      const body = { id: 'c', messages, ...edited }
      return server.post('/agents/helper/chat', body).then((response) => response.text())
    }
    await ask(['one'])
    await ask(['one', 'two'])
    await until(() => summaries() === 1)
    const stored = () => dataOf<object[]>(server.request('/agents/helper/history?limit=1'))
    await until(async () => ((await stored())[0] as { status: string }).status === 'completed')
    await ask(['one', 'two', 'three'])
    expect(prompts().findLast((prompt) => !isSummary(prompt))).toContain('S(one')
    await ask(['edited'], { messageId: 'm1' })
    expect(prompts().findLast((prompt) => !isSummary(prompt))).not.toContain('S(one')
    await say('five')
  })

  it('has nothing that an output guardrail replaces, and is not kept when one blocks it', async () => {
    const answers = (summary: string): ScriptedAnswer[] =>
      Array.from(
        { length: 20 },
        () =>
          ({ prompt }) =>
            isSummary(JSON.stringify(prompt)) ? summary : 'ok',
      )
    const serveGuarded = (summary: string) => {
      const model = scriptedModel(answers(summary))
      const output = [
        redactPatterns(['card']),
        ({ text = '' }) => (text.includes('secret') ? { block: 'No' } : undefined),
      ] as const
      const memory = { lastMessages: 2, summary: true }
      const agent = createAgent({
        id: 'g',
        name: 'G',
        instructions: 'x',
        model,
        memory,
        guardrails: { output },
      })
      const server = new TestServer({ agents: [agent] })
      servers.push(server)
      const say = (input: string) =>
        server
          .post('/agents/g/text', { input, options: { conversationId: 'c' } })
          .then((reply) => reply.text())
      const prompts = () => model.calls.map(({ prompt }) => JSON.stringify(prompt))
      return { server, say, prompts }
    }
    for (const [summary, shown] of [
      ['Pays with 4111 1111 1111 1111', 'Pays with [card]'],
      ['The secret is 42', undefined],
    ] as const) {
      const { server, say, prompts } = serveGuarded(summary)
      for (const word of ['one', 'two']) await say(word)
      const runs = () => dataOf<{ status: string }[]>(server.request('/agents/g/history'))
      await until(async () => (await runs()).filter(({ status }) => status === 'completed').length === 3)
      await expect
        .poll(async () => {
          await say('next')
          return prompts().findLast((prompt) => !isSummary(prompt))
        })
        .toContain(shown ?? 'next')
      const sent = prompts().findLast((prompt) => !isSummary(prompt))
      expect(sent).not.toContain('4111')
      expect(sent).not.toContain('secret')
      expect(JSON.stringify(await runs())).not.toMatch(/4111|secret/)
    }
  })

  it('may be longer than the answers', async () => {
    const text = 'The user likes tea, and lives in a small house by the sea'
    const answer: ScriptedAnswer = ({ prompt }) =>
      isSummary(JSON.stringify(prompt)) ? `${text}, card 4111 1111 1111 1111` : 'ok'
    const model = scriptedModel([answer], { repeatLast: true })
    const memory = { lastMessages: 2, summary: true }
    const guardrails = { output: [maxLength(10), redactPatterns(['card'])] }
    const agent = createAgent({ id: 'g', name: 'G', instructions: 'x', model, memory, guardrails })
    const server = new TestServer({ agents: [agent] })
    servers.push(server)
    const say = (input: string) =>
      dataOf<{ text: string }>(server.post('/agents/g/text', { input, options: { conversationId: 'c' } }))
    const sent = () =>
      JSON.stringify(model.calls.findLast(({ prompt }) => !isSummary(JSON.stringify(prompt)))?.prompt)
    await expect
      .poll(async () => {
        expect(await say('next')).toMatchObject({ text: 'ok' })
        return sent()
      })
      .toContain(`${text}, card [card]`)
  })

  it('that fails is harmless, and logged', async () => {
    const failing: ScriptedAnswer[] = Array.from(
      { length: 20 },
      () =>
        ({ prompt }) =>
          isSummary(JSON.stringify(prompt)) ? new Error('no summary today') : 'ok',
    )
    const { server, say } = serve(failing, { lastMessages: 2, summary: true })
    for (const word of ['one', 'two', 'three']) expect((await say(word)).text).toBe('ok')
    await until(() =>
      server.logs.some(({ msg }) => String(msg).startsWith('A conversation could not be summarised')),
    )
    expect((await say('four')).text).toBe('ok')
  })
})

const schema = z.object({ name: z.string().optional(), likes: z.array(z.string()).max(3).optional() })
const update = (input: object) => ({ toolCalls: [{ toolName: 'update_working_memory', input }] })
const memoryOf = (query = '') => `/agents/helper/working-memory${query}`
const read = (server: TestServer, query = '') => dataOf(server.request(memoryOf(query)))

describe('working memory', () => {
  it('is updated by the model, kept for the user and sent in every conversation', async () => {
    const { server, say, prompts } = serve(
      [
        update({ name: 'Ada', likes: ['tea'] }),
        'Hello Ada',
        update({ likes: null }),
        'Forgotten',
        update({ likes: 'tea' }),
        'Sorry',
        'Hi',
      ],
      { workingMemory: schema },
    )
    const ada = (conversationId: string) => ({ conversationId, userId: 'ada' })
    expect(await read(server, '?userId=ada')).toBeNull()
    await say('I am Ada and like tea', ada('c1'))
    expect(await read(server, '?userId=ada')).toEqual({ name: 'Ada', likes: ['tea'] })
    expect(await read(server)).toBeNull()
    await say('I hate tea', ada('c2'))
    expect(prompts()[2]).toContain(String.raw`{\"name\":\"Ada\",\"likes\":[\"tea\"]}`)
    expect(await read(server, '?userId=ada')).toEqual({ name: 'Ada' })
    await say('Wrong', ada('c3'))
    expect(prompts()[5]).toContain('likes')
    expect(prompts()[5]).toContain('error-text')
    expect(await read(server, '?userId=ada')).toEqual({ name: 'Ada' })
    await say('I am Bob', { conversationId: 'c1', userId: 'bob' })
    expect(prompts()[6]).not.toContain('Ada')
  })

  it('is read, replaced and deleted over HTTP, checked by its schema and size', async () => {
    const { server } = serve([], { workingMemory: schema })
    const put = (json: unknown) => server.request(memoryOf(), { method: 'PUT', json })
    expect(await dataOf(put({ name: 'Ada' }))).toEqual({ name: 'Ada' })
    expect(await dataOf(put({ likes: ['tea'] }))).toEqual({ likes: ['tea'] })
    expect(await read(server)).toEqual({ likes: ['tea'] })
    expect(await refusalOf(put({ likes: 'tea' }), 400)).toMatch(/^workingMemory\.likes: /)
    expect(await refusalOf(put({ name: 'x'.repeat(17_000) }), 400)).toContain('Must not exceed 16384 bytes')
    await refusalOf(put([]), 400)
    expect(await read(server)).toEqual({ likes: ['tea'] })
    const remove = () => dataOf(server.request(memoryOf(), { method: 'DELETE' }))
    expect(await remove()).toEqual({ deleted: true })
    expect(await remove()).toEqual({ deleted: false })
    expect(await read(server)).toBeNull()
  })

  it('of an agent without a schema is a 404', async () => {
    const { server } = serve([], {})
    expect(await refusalOf(server.request(memoryOf()), 404)).toBe('Working memory not found: helper')
  })
})

it('an agent with invalid memory options is refused when the configuration is loaded', () => {
  const problems = (memory: object) => createAgent({ id: 'a', name: 'A', instructions: 'x', memory }).problems
  expect(problems({ lastMessages: 3, summary: true, workingMemory: schema })).toEqual([])
  expect(problems({ contextLimit: 3 })).toEqual([])
  expect(problems({ lastMessages: -1 })).toHaveLength(1)
  expect(problems({ lastMessages: 1, contextLimit: 1 })).toHaveLength(1)
  expect(problems({ summary: 'yes' })).toEqual(['memory.summary must be true or false'])
  for (const workingMemory of [z.string(), 'x', z.array(z.string())])
    expect(problems({ workingMemory })).toEqual(['memory.workingMemory must be the schema of an object'])
})
