import { expect, it } from 'vitest'
import { executionRecord } from '../../../src/engine/record/to-api.ts'
import { executionRow } from '../store/execution-rows.ts'

it('a damaged record is returned with its readable parts', () => {
  const row = executionRow({
    id: 'damaged',
    status: 'error',
    input: '{"amount":',
    output: '\u0000',
    error: 'not json',
    suspension: '{',
    forkedFrom: '}',
  })
  const events = [
    {
      seq: 1,
      data: '{"type":"workflow-start","executionId":"damaged","timestamp":"2026-01-01T00:00:00.000Z"}',
    },
    { seq: 2, data: '{"type":' },
  ]
  const record = executionRecord(row, events, { waiting: undefined, usage: undefined })
  expect(record).toMatchObject({ id: 'damaged', status: 'error', input: null, output: null })
  expect(record.error?.name).toBe('UnreadableRecord')
  expect(record.events.map(({ type }) => type)).toEqual(['workflow-start'])
})
