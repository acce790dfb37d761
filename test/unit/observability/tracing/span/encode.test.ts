import { describe, expect, it } from 'vitest'
import { decodeSpan, encodeSpan } from '../../../../../src/observability/tracing/span/encode.ts'
import type { SpanData } from '../../../../../src/observability/tracing/span/span-data.ts'

const span = (parts: Partial<SpanData> = {}): SpanData => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parent: undefined,
  name: 'step one',
  namedByOthers: false,
  kind: 'internal',
  startTime: 1_700_000_000_000 + 0.1234,
  endTime: undefined,
  attributes: {},
  failed: false,
  statusMessage: undefined,
  events: [],
  links: [],
  toReadableSpan: () => {
    throw new Error('not needed')
  },
  ...parts,
})

describe('an encoded span', () => {
  it('omits empty members', () => {
    expect(JSON.parse(encodeSpan(span()))).toEqual({
      name: 'step one',
      kind: 'internal',
      startTime: 1_700_000_000_000.123,
      status: 'running',
      attributes: {},
    })
  })

  it('is one line of JSON with attributes by name', () => {
    const link = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), traceFlags: 1 }
    const text = encodeSpan(
      span({
        parent: { traceId: 'a'.repeat(32), spanId: 'e'.repeat(16), traceFlags: 1 },
        endTime: 1_700_000_000_002,
        failed: true,
        statusMessage: 'two\nlines',
        attributes: { 'agentserver.step.id': 'one', list: ['a', 'b'] },
        events: [
          { name: 'exception', time: 1_700_000_000_001, attributes: { at: 'x\ny' }, droppedAttributes: 0 },
        ],
        links: [{ context: link, attributes: { why: 'so' } }],
      }),
    )
    expect(text).not.toContain('\n')
    expect(decodeSpan(text)).toEqual({
      parentSpanId: 'e'.repeat(16),
      name: 'step one',
      kind: 'internal',
      startTime: 1_700_000_000_000.123,
      endTime: 1_700_000_000_002,
      status: 'error',
      statusMessage: 'two\nlines',
      attributes: { 'agentserver.step.id': 'one', list: ['a', 'b'] },
      events: [{ name: 'exception', time: 1_700_000_000_001, attributes: { at: 'x\ny' } }],
      links: [{ traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), attributes: { why: 'so' } }],
    })
  })

  it.each(['', '{', '[]', '{}', '{"name":"x"}'])('is rejected when it is damaged: %s', (text) => {
    expect(() => decodeSpan(text)).toThrow(SyntaxError)
  })
})
