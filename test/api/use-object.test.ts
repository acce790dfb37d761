import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ShownObject } from '../support/chat/object-client.ts'
import { refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

interface Dom {
  readonly window: {
    readonly navigator: object
    readonly document: { createElement(name: string): Element }
    close(): void
  }
}

// its declarations would bring those of the DOM to all tests
const { JSDOM } = createRequire(import.meta.url)('jsdom') as { JSDOM: new (html: string) => Dom }

const list = { type: 'array', items: { type: 'string' } } as const
const packing = {
  type: 'object',
  properties: { items: list, 2: { type: 'string' }, 1: { type: 'string' } },
  required: ['items'],
} as const
// parsers sort names that look like numbers
const text = '{ "items": ["tent", "}socks}"], "2": "b", "1": "a" }'
const packed = JSON.parse(text) as object

const tool = (name: string, needsApproval: boolean) =>
  createTool({ name, description: name, inputSchema: z.object({}), needsApproval, execute: () => 'done' })
const agent = (id: string, model: Parameters<typeof scriptedModel>[0], more = {}) =>
  createAgent({ id, name: id, instructions: 'x', model: scriptedModel(model, { repeatLast: true }), ...more })
const calling = (toolName: string, before = '') =>
  [
    ({ prompt }: { prompt: readonly { role: string }[] }) =>
      prompt.at(-1)?.role === 'tool' ? text : { text: before, toolCalls: [{ toolName, input: {} }] },
  ] as Parameters<typeof scriptedModel>[0]

const server = new TestServer({
  agents: [
    agent('packer', [text]),
    agent('lister', ['{"value": ["a", "}b", {"c": 1}] }\n']),
    agent('looker', calling('look', 'I look it up. '), { tools: [tool('look', false)] }),
    agent('hasty', calling('look', '{"items": ["too early"]}'), { tools: [tool('look', false)] }),
    agent('careful', calling('buy', ''), { tools: [tool('buy', true)] }),
    agent('wrong', ['{"items": "none"}']),
    agent('durable', [text], { resumable: true }),
    agent('failing', [{ error: new Error('hunter2') }]),
  ],
})
let base = ''
beforeAll(async () => {
  // React looks for the window when it is loaded
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  vi.stubGlobal('navigator', window.navigator)
  base = `http://127.0.0.1:${(await server.listen()).port}`
})
const { window } = new JSDOM('')
afterAll(async () => {
  await server.close()
  vi.unstubAllGlobals()
  window.close()
})

async function show(id: string, schema: object = packing): Promise<ShownObject> {
  const { submitObject } = await import('../support/chat/object-client.ts')
  const root = window.document.createElement('div')
  return submitObject(root, {
    api: `${base}/agents/${id}/stream-object?format=text`,
    body: { input: 'What do I pack?', schema },
  })
}

describe('useObject', () => {
  it('shows an object while it grows', async () => {
    const { objects, finished, error } = await show('packer')
    expect(error).toBeUndefined()
    expect(finished).toEqual({ object: packed, error: undefined })
    expect(objects.length).toBeGreaterThan(1)
  })

  it.each(['looker', 'durable'])('shows that of the agent %s', async (id) => {
    expect((await show(id)).finished?.object).toEqual(packed)
  })

  it('shows a value that is no object', async () => {
    expect((await show('lister', { type: 'array' })).finished?.object).toEqual(['a', '}b', { c: 1 }])
  })

  it.each(['hasty', 'careful', 'wrong', 'failing'])('has the error of the agent %s', async (id) => {
    const { error, finished } = await show(id)
    expect([error instanceof Error, finished]).toEqual([true, undefined])
    expect(String(error)).not.toContain('hunter2')
  })
})

it('the text of an object has its media type, and no events', async () => {
  const body = { input: 'Hi', schema: packing }
  const response = await server.post('/agents/packer/stream-object?format=text', body)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.text()).toBe(text)
})

it('a request for the text is refused as any other', async () => {
  const path = '/agents/packer/stream-object'
  expect(await refusalOf(server.post(`${path}?format=xml`, { input: 'Hi', schema: packing }), 400)).toContain(
    'format: Invalid input: expected "text"',
  )
  expect(await refusalOf(server.post(`${path}?format=text`, { input: 'Hi' }), 400)).toBe('schema: Required')
})
