import { describe, expect, it } from 'vitest'
import { LogLines } from '../../../../src/console/logs/log-lines.ts'
import type { LogRecord } from '../../../../src/contract/endpoints/log.ts'

const record = (id: number, message = `message ${id}`): LogRecord => ({
  id: String(id),
  timestamp: '2026-11-22T10:00:00.000Z',
  level: 'info',
  message,
  attributes: {},
  traceId: null,
  spanId: null,
  executionId: null,
})
const ids = (lines: LogLines) => lines.list.map((line) => line.record.id)

describe('the lines of the log', () => {
  it('have a record that arrives late at its place, each once', () => {
    const lines = new LogLines(false)
    lines.append([record(10), record(20), record(30)])
    lines.append([record(15), record(40), record(25), record(20), record(15)])
    expect(ids(lines)).toEqual(['10', '15', '20', '25', '30', '40'])
    expect(lines.newest?.id).toBe('40')
  })

  it('leave a record that is older than all to the next page of older ones', () => {
    const lines = new LogLines(false)
    lines.append([record(10)])
    lines.append([record(5)])
    expect(ids(lines)).toEqual(['10'])
    lines.prepend([record(4), record(5), record(10)])
    expect(ids(lines)).toEqual(['4', '5', '10'])
  })

  it('group repeated messages, also with a late one between them', () => {
    const lines = new LogLines(true)
    lines.append([record(10, 'same'), record(20, 'same'), record(30)])
    lines.append([record(25, 'late'), record(20, 'same')])
    expect(lines.list.map(({ record: { message }, count }) => `${message} ${count}`)).toEqual([
      'same 2',
      'late 1',
      'message 30 1',
    ])
  })
})
