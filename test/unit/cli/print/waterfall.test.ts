import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Span } from '../../../../src/contract/endpoints/trace.ts'
import { waterfall } from '../../../../src/cli/print/waterfall.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const TRACE = '0af7651916cd43dd8448eb211c80319c'

interface Sketch extends Partial<Span> {
  readonly id: string
  readonly from: number
  /** Milliseconds; none while it runs. */
  readonly took?: number
}

function span({ id, from, took, ...rest }: Sketch): Span {
  return {
    traceId: TRACE,
    spanId: id,
    parentSpanId: null,
    name: id,
    kind: 'internal',
    startTime: new Date(START + from).toISOString(),
    endTime: took === undefined ? null : new Date(START + from + took).toISOString(),
    durationMs: took ?? null,
    status: took === undefined ? 'running' : 'ok',
    attributes: {},
    events: [],
    links: [],
    ...rest,
  }
}

function drawn(spans: readonly Span[], width = 60, spanCount = spans.length): string[] {
  const detail = { traceId: TRACE, spans: [...spans], spanCount, truncated: spanCount > spans.length }
  return waterfall(detail, { paint: pc.createColors(false), width }).split('\n')
}

const ORDER = [
  span({ id: 'invoke_workflow order', from: 0, took: 1000 }),
  span({
    id: 'step charge',
    parentSpanId: 'invoke_workflow order',
    from: 0,
    took: 250,
    status: 'error',
    statusMessage: 'card\ndeclined',
  }),
  span({
    id: 'second',
    name: 'step charge',
    parentSpanId: 'invoke_workflow order',
    from: 500,
    took: 250,
    attributes: { 'agentserver.step.attempt': 2 },
  }),
  span({
    id: 'chat',
    parentSpanId: 'second',
    from: 600,
    took: 0.4,
    attributes: { 'gen_ai.usage.input_tokens': 12, 'gen_ai.usage.output_tokens': 34 },
  }),
  span({
    id: 'step ship',
    parentSpanId: 'invoke_workflow order',
    from: 750,
    took: 250,
    attributes: { 'agentserver.step.status': 'suspended' },
  }),
]

describe('the waterfall of a trace', () => {
  it('shows what ran within what, when, how long, how it ended, attempts and tokens', () => {
    expect(drawn(ORDER, 80)).toEqual([
      `trace ${TRACE} 5 spans, 1.0 s`,
      '✓ invoke_workflow order ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━     1.0 s',
      '✗ ├─ step charge        ━━━━━━━━                           250 ms card declined',
      '✓ ├─ step charge                        ━━━━━━━            250 ms attempt 2',
      '✓ │  └─ chat                               ━               0.4 ms 12 → 34 tokens',
      '‖ └─ step ship                                 ━━━━━━━━    250 ms',
    ])
  })

  it.each([40, 60, 80, 120, 300])('keeps within %i columns', (width) => {
    for (const line of drawn(ORDER, width).slice(1))
      expect(line.length).toBeLessThanOrEqual(Math.min(width, 200))
  })

  it('leaves out the bars where there is no room for them', () => {
    const lines = drawn(ORDER, 34)
    expect(lines.join('')).not.toContain('━')
    expect(lines[1]).toMatch(/^✓ invoke_workflow/)
  })

  it('has a width of its own where nobody reads it on a screen', () => {
    const [, first = ''] = drawn(ORDER, Number.POSITIVE_INFINITY)
    expect(first.length).toBeGreaterThan(60)
    expect(first.length).toBeLessThanOrEqual(100)
  })

  it('shows what still runs up to now, and what is not there', () => {
    const lines = drawn(
      [span({ id: 'root', from: 0 }), span({ id: 'part', parentSpanId: 'root', from: 10, took: 90 })],
      60,
      7000,
    )
    expect(lines[1]).toMatch(/^… root +╍+ +running$/)
    const [, killed] = drawn([
      span({ id: 'root', from: 0, status: 'error' }),
      span({ id: 'x', from: 5, took: 5 }),
    ])
    expect(killed).toMatch(/^✗ root +╍+ +cut off$/)
    expect(lines.at(-1)).toBe('6998 more are not shown')
  })

  it('shows spans outermost whose parent is not there, and any depth', () => {
    const lost = [span({ id: 'a', parentSpanId: 'elsewhere', from: 0, took: 1 })]
    expect(drawn(lost)[1]).toMatch(/^✓ a /)
    const deep = Array.from({ length: 300 }, (_, n) =>
      span({ id: `s${n}`, from: n, took: 1, ...(n > 0 && { parentSpanId: `s${n - 1}` }) }),
    )
    expect(drawn(deep)).toHaveLength(301)
  })

  it('lets names of others do no harm', () => {
    const [, line] = drawn([span({ id: 'x', name: 'bad\u001b[2J\nname', from: 0, took: 5 })])
    expect(line).toMatch(/^✓ bad\\x1b\[2J name/)
  })
})
