import { createAgent, demoModel } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { scripted } from '../support/model/scripted.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const instructions = 'Answer.'
const answered = scripted(JSON.stringify({ value: `${'a'.repeat(60)}!` }))
const demo = createAgent({ id: 'demo', name: 'Demo', instructions, model: demoModel() })
const model = createAgent({ id: 'model', name: 'Model', instructions, model: answered })
const server = new TestServer({ workflows: [], agents: [demo, model] })
afterAll(() => server.close())

const object = (agent: string, schema: unknown, input = 'Hello') =>
  server.post(`/agents/${agent}/object`, { input, schema })
const withPatterns = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string', pattern: `^a${index}$` }]),
  ),
})
const ofSize = (bytes: number) => {
  const empty = JSON.stringify({ type: 'string', description: '' }).length
  return { type: 'string', description: 'x'.repeat(bytes - empty) }
}
const BACKTRACKING = '^(a+)+$'

describe('the JSON Schema of a caller', () => {
  it('may have 32,768 bytes', async () => {
    await dataOf(object('demo', ofSize(32_768)))
    for (const schema of [ofSize(32_769), { ...ofSize(20_000), title: 'é'.repeat(7000) }]) {
      for (const way of ['object', 'stream-object']) {
        const refused = server.post(`/agents/demo/${way}`, { input: 'x', schema })
        expect(await refusalOf(refused, 400)).toMatch(/^schema: \d+ bytes long; the maximum is 32768$/)
      }
    }
  })

  it('may have 200 patterns, wherever they are', async () => {
    await dataOf(object('demo', withPatterns(200)))
    const { properties } = withPatterns(150)
    const names = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`^n${index}`, {}]))
    for (const schema of [withPatterns(201), { anyOf: [{ properties }, { patternProperties: names }] }])
      expect(await refusalOf(object('demo', schema), 400)).toBe(
        'schema: has 201 patterns; the maximum is 200',
      )
  })

  it('that is large is refused at once: it is not compiled', async () => {
    const schema = withPatterns(4100)
    expect(JSON.stringify(schema).length).toBeGreaterThan(180_000)
    const before = process.cpuUsage()
    await refusalOf(object('demo', schema), 400)
    const { user } = process.cpuUsage(before)
    expect(user / 1000).toBeLessThan(300)
  })

  it('that is sent again is compiled once', async () => {
    const schema = () => ({ ...withPatterns(199), title: 'compiled once' })
    await dataOf(object('demo', schema()))
    const before = process.cpuUsage()
    for (let n = 0; n < 20; n++) await dataOf(object('demo', schema()))
    const { user } = process.cpuUsage(before)
    // compiling takes about 100 ms each time
    expect(user / 1000 / 20).toBeLessThan(50)
  })

  it('whose pattern backtracks ends the check after 100 ms', async () => {
    const schema = { type: 'string', pattern: BACKTRACKING }
    const message = await refusalOf(object('model', schema), 500)
    expect(message).toBe('The answer does not match the schema: answer: Validation took longer than 100 ms')
  })
})

describe('the demo model', () => {
  it('ends a pattern of a schema that backtracks', async () => {
    const input = `say "${'a'.repeat(60)}!"`
    const before = process.cpuUsage()
    const schema = {
      type: 'object',
      properties: { p: { type: 'string', pattern: BACKTRACKING } },
      required: ['p'],
    }
    await object('demo', schema, input)
    await messagesOf(server.post('/agents/demo/stream-object', { input, schema }))
    const { user } = process.cpuUsage(before)
    expect(user / 1000).toBeLessThan(1000)
  })

  it('fills in at most 10,000 characters', async () => {
    const long = 'word '.repeat(20_000)
    for (const text of [{ minLength: 1e9 }, { minLength: 10_001 }, {}]) {
      const schema = {
        type: 'object',
        properties: { message: { type: 'string', ...text } },
        required: ['message'],
      }
      const response = await object('demo', schema, long)
      const body = (await response.json()) as { data?: { object: { message: string } }; error?: string }
      if ('minLength' in text) expect(body.error).toMatch(/answer.message/)
      else expect(body.data?.object.message).toHaveLength(10_000)
    }
    const list = {
      type: 'array',
      minItems: 1000,
      maxItems: 1000,
      items: { type: 'string', minLength: 10_000 },
    }
    expect((await (await object('demo', list)).text()).length).toBeLessThan(1_000_000)
  })

  it('limits what a small schema or a small input can make it stream', async () => {
    const texts = { type: 'array', minItems: 1e9, items: { type: 'string', minLength: 1e9 } }
    const nested = { type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9, items: {} } }
    const literals = { type: 'array', minItems: 1e9, items: { const: 'x'.repeat(1000) } }
    const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }
    for (const schema of [texts, nested, literals, message]) {
      const body = { input: 'a '.repeat(5000), schema }
      const response = await server.post('/agents/demo/stream-object', body)
      expect((await response.text()).length).toBeLessThan(2_500_000)
    }
  })
})
