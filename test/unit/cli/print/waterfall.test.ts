import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Span } from '../../../../src/contract/endpoints/trace.ts'
import { waterfall } from '../../../../src/cli/print/waterfall.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const TRACE = '0af7651916cd43dd8448eb211c80319c'

interface SpanOptions extends Partial<Span> {
  readonly id: string
  readonly from: number
  /** Milliseconds. Undefined while the span is running. */
  readonly duration?: number
}

function span({ id, from, duration, ...rest }: SpanOptions): Span {
  return {
    traceId: TRACE,
    spanId: id,
    parentSpanId: null,
    name: id,
    kind: 'internal',
    startTime: new Date(START + from).toISOString(),
    endTime: duration === undefined ? null : new Date(START + from + duration).toISOString(),
    durationMs: duration ?? null,
    status: duration === undefined ? 'running' : 'ok',
    attributes: {},
    events: [],
    links: [],
    ...rest,
  }
}

function lines(spans: readonly Span[], width = 60, spanCount = spans.length): string[] {
  const detail = { traceId: TRACE, spans: [...spans], spanCount, truncated: spanCount > spans.length }
  return waterfall(detail, { paint: pc.createColors(false), width }).split('\n')
}

const ORDER = [
  span({ id: 'invoke_workflow order', from: 0, duration: 1000 }),
  span({
    id: 'step charge',
    parentSpanId: 'invoke_workflow order',
    from: 0,
    duration: 250,
    status: 'error',
    statusMessage: 'card\ndeclined',
  }),
  span({
    id: 'second',
    name: 'step charge',
    parentSpanId: 'invoke_workflow order',
    from: 500,
    duration: 250,
    attributes: { 'agentserver.step.attempt': 2 },
  }),
  span({
    id: 'chat',
    parentSpanId: 'second',
    from: 600,
    duration: 0.4,
    attributes: { 'gen_ai.usage.input_tokens': 12, 'gen_ai.usage.output_tokens': 34 },
  }),
  span({
    id: 'step ship',
    parentSpanId: 'invoke_workflow order',
    from: 750,
    duration: 250,
    attributes: { 'agentserver.step.status': 'suspended' },
  }),
]

describe('the waterfall of a trace', () => {
  it('shows the span tree with start, duration, status, attempts and tokens', () => {
    expect(lines(ORDER, 80)).toEqual([
      `trace ${TRACE} 5 spans, 1.0 s`,
      '✓ invoke_workflow order ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━      1.0 s',
      '✗ ├─ step charge        ━━━━━━━━                           250 ms card declined',
      '✓ ├─ step charge                       ━━━━━━━━            250 ms attempt 2',
      '✓ │  └─ chat                              ━                0.4 ms 12 → 34 tokens',
      '‖ └─ step ship                                 ━━━━━━━     250 ms',
    ])
  })

  it.each([40, 60, 80, 120, 300])('fits in %i columns', (width) => {
    for (const line of lines(ORDER, width).slice(1))
      expect(line.length).toBeLessThanOrEqual(Math.min(width, 200))
  })

  it('omits the bars in a narrow terminal', () => {
    const shown = lines(ORDER, 34)
    expect(shown.join('')).not.toContain('━')
    expect(shown[1]).toMatch(/^✓ invoke_workflow/)
  })

  it('has a default width outside a terminal', () => {
    const [, first = ''] = lines(ORDER, Number.POSITIVE_INFINITY)
    expect(first.length).toBeGreaterThan(60)
    expect(first.length).toBeLessThanOrEqual(100)
  })

  it('shows running and incomplete spans, and the number of omitted ones', () => {
    const shown = lines(
      [span({ id: 'root', from: 0 }), span({ id: 'part', parentSpanId: 'root', from: 10, duration: 90 })],
      60,
      7000,
    )
    expect(shown[1]).toMatch(/^… root +╍+ +running$/)
    const [, killed] = lines([
      span({ id: 'root', from: 0, status: 'error' }),
      span({ id: 'x', from: 5, duration: 5 }),
    ])
    expect(killed).toMatch(/^✗ root +╍+ +incomplete$/)
    expect(shown.at(-1)).toBe('6998 more spans are not displayed')
  })

  it('shows spans without a known parent as roots, at any depth', () => {
    const lost = [span({ id: 'a', parentSpanId: 'elsewhere', from: 0, duration: 1 })]
    expect(lines(lost)[1]).toMatch(/^✓ a /)
    const deep = Array.from({ length: 300 }, (_, n) =>
      span({ id: `s${n}`, from: n, duration: 1, ...(n > 0 && { parentSpanId: `s${n - 1}` }) }),
    )
    expect(lines(deep)).toHaveLength(301)
  })

  it('escapes control characters in names', () => {
    const [, line] = lines([span({ id: 'x', name: 'bad\u001b[2J\nname', from: 0, duration: 5 })])
    expect(line).toMatch(/^✓ bad\\x1b\[2J name/)
  })
})
