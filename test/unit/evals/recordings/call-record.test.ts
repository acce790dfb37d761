import { describe, expect, it } from 'vitest'
import { callHash, callRecord, type ModelCallOptions } from '../../../../src/evals/recordings/call-record.ts'
import { textRedactor } from '../../../../src/lib/redact/redact-text.ts'

const redact = textRedactor([])
const call = (id: string, extra: object = {}): ModelCallOptions => ({
  prompt: [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: id,
          toolName: 'add',
          input: {},
          providerOptions: { x: { itemId: id } },
        },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'add', output: 1 }] },
  ],
  ...extra,
})
const hash = (options: ModelCallOptions) => callHash(callRecord(options, redact))

describe('the record of a call', () => {
  it('is the same for other ids of tool calls, orders of members, headers and signals', () => {
    const one = call('call_a', { temperature: 0, tools: [{ name: 'add', description: 'x' }] })
    const other = call('call_b', {
      tools: [{ description: 'x', name: 'add' }],
      temperature: 0,
      topP: undefined,
      headers: { 'user-agent': 'ai/7' },
      abortSignal: new AbortController().signal,
      includeRawChunks: true,
    })
    expect(hash(other)).toBe(hash(one))
  })

  it.each([
    ['a setting', call('a', { temperature: 1 })],
    ['a tool', call('a', { tools: [{ name: 'add' }] })],
    ['a schema', call('a', { responseFormat: { type: 'json', schema: {} } })],
    ['a file', { prompt: [{ role: 'user', content: [{ type: 'file', data: new Uint8Array([1]) }] }] }],
    ['another file', { prompt: [{ role: 'user', content: [{ type: 'file', data: new Uint8Array([2]) }] }] }],
  ])('is another one with %s', (_, other) => {
    const known = [
      call('a'),
      { prompt: [{ role: 'user', content: [{ type: 'file', data: new Uint8Array([3]) }] }] },
    ]
    expect(known.map((each) => hash(each))).not.toContain(hash(other))
  })

  it('has no secrets', () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwx'
    const record = JSON.stringify(
      callRecord(
        { prompt: [{ role: 'system', content: `Key ${secret}` }], providerOptions: { x: { apiKey: 'abc' } } },
        redact,
      ),
    )
    expect(record).not.toContain(secret)
    expect(record).not.toContain('abc"')
  })
})
