import { describe, expect, it } from 'vitest'
import { LateRecords } from '../../../src/cli/logs/late-records.ts'
import type { LogQuery, LogRecord } from '../../../src/contract/endpoints/log.ts'

const record = (id: number, more: Partial<LogRecord> = {}): LogRecord => ({
  id: String(id),
  timestamp: '2026-11-22T10:00:00.000Z',
  level: 'info',
  message: `message ${id}`,
  attributes: {},
  traceId: null,
  spanId: null,
  executionId: null,
  ...more,
})

describe('records that arrive late', () => {
  const lateOf = (received: readonly LogRecord[], query: LogQuery = {}) => {
    const late = new LateRecords(query)
    late.printed([record(5)], record(5))
    for (const one of received) late.receive(one)
    return late.printed([record(9)], record(9)).map(({ id }) => id)
  }

  it('are those before the last one that no query has had, in order and once', () => {
    const late = new LateRecords({})
    expect(late.printed([record(5), record(7)], record(7))).toEqual([])
    for (const id of [7, 6, 3, 10]) late.receive(record(id))
    expect(late.printed([record(9)], record(9)).map(({ id }) => id)).toEqual(['3', '6'])
    late.receive(record(6))
    expect(late.printed([record(10)], record(10))).toEqual([])
  })

  it('match the filters that the messages were not selected by', () => {
    const of = (attributes: LogRecord['attributes']) => [record(6, { attributes })]
    expect(lateOf(of({ workflowId: 'w' }), { workflowId: 'w' })).toEqual(['6'])
    expect(lateOf(of({ workflowId: 'x' }), { workflowId: 'w' })).toEqual([])
    expect(lateOf(of({ agentId: 'x' }), { agentId: 'a' })).toEqual([])
    expect(lateOf(of({}), { since: '2026-11-22T11:00:00Z' })).toEqual([])
    expect(lateOf(of({}), { until: '2026-11-22T10:00:00Z' })).toEqual([])
    expect(lateOf(of({}), { since: '2026-11-22T10:00:00Z' })).toEqual(['6'])
  })
})
