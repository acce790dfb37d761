import { describe, expect, it } from 'vitest'
import { spanIds } from '../../../../../src/observability/tracing/tracing.ts'

describe('span ids', () => {
  it('have the form of W3C Trace Context and are never all zeros', () => {
    const ids = spanIds()
    for (let turn = 0; turn < 100; turn++) {
      expect(ids.generateTraceId()).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
      expect(ids.generateSpanId()).toMatch(/^(?!0{16})[0-9a-f]{16}$/)
    }
  })

  it('are unique, even beyond the number of ids in a millisecond', () => {
    const ids = spanIds(() => 1_700_000_000_000)
    const many = Array.from({ length: 200_000 }, () => ids.generateSpanId())
    expect(new Set(many).size).toBe(many.length)
  })

  it('begin with the time and increase, even when the clock is set back', () => {
    let now = 1_700_000_000_000
    const ids = spanIds(() => now)
    const before = ids.generateSpanId()
    expect(Number.parseInt(before.slice(0, 12), 16)).toBe(now)
    now += 1
    const next = ids.generateSpanId()
    now -= 1000
    const last = ids.generateSpanId()
    expect(next > before).toBe(true)
    expect(last.slice(0, 12) >= next.slice(0, 12)).toBe(true)
  })
})
