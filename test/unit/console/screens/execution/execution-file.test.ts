import { describe, expect, it } from 'vitest'
import type { ExecutionDetail } from '../../../../../src/contract/endpoints/execution.ts'
import { readExecutionFile } from '../../../../../src/console/screens/execution/execution-file.ts'

const at = (ms: number) => new Date(ms).toISOString()

const record: ExecutionDetail = {
  id: 'e',
  workflowId: 'order',
  workflowName: 'Order',
  status: 'running',
  input: {},
  context: {},
  metadata: { traceId: 't', spanId: 's' },
  events: [],
  steps: [],
  createdAt: at(0),
  updatedAt: at(0),
  definitionHash: 'h',
}

describe('readExecutionFile', () => {
  it('reads exported executions and responses of the API', () => {
    expect(readExecutionFile(JSON.stringify(record))).toEqual([record])
    expect(readExecutionFile(JSON.stringify({ success: true, data: record }))).toEqual([record])
    expect(readExecutionFile(JSON.stringify([record, record]))).toHaveLength(2)
  })

  it.each([
    ['no', 'not JSON'],
    ['[]', 'the list is empty'],
    ['[1]', 'not a JSON object'],
    ['{"id":"e"}', '"workflowId" is missing'],
    [JSON.stringify({ ...record, steps: 1 }), '"steps" is missing'],
    [JSON.stringify({ ...record, steps: [{}] }), 'no "path"'],
    [JSON.stringify({ ...record, createdAt: 'then' }), 'not a valid time'],
  ])('throws when the file has no execution: %s', (text, message) => {
    expect(() => readExecutionFile(text)).toThrow(message)
  })
})
