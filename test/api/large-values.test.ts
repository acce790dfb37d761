import { statSync } from 'node:fs'
import { createWorkflow } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionDetail, ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { TempProject } from '../support/project/temp-project.ts'

const MB = 1_000_000
const TEXT = 'é"'.repeat(MB)
const report = createWorkflow({ id: 'report' })
  .andThen({ id: 'write', execute: () => ({ text: TEXT }) })
  .andThen({ id: 'pass', execute: ({ data }) => data })
  .andThen({ id: 'publish', execute: () => 'published' })

describe('an execution whose step has a result of megabytes', () => {
  const folder = new TempProject()
  const server = new TestServer({ workflows: [report], database: `file:${folder.path('data.db')}` })
  afterAll(async () => {
    await server.close()
    folder.remove()
  })

  it('stores it with each step that returns it, but not with events and inputs', async () => {
    await server.execute('report', {}, { executionId: 'e' })
    const stored = Buffer.byteLength(JSON.stringify(JSON.stringify(TEXT)))
    expect(['data.db', 'data.db-wal'].reduce((sum, file) => sum + statSync(folder.path(file)).size, 0))
      // the file and the log before a checkpoint
      .toBeLessThan(2 * 2.2 * stored)
  })

  it('is read with all values of its steps and events', async () => {
    const record = await dataOf<ExecutionDetail>(server.request('/observability/executions/e'))
    const { steps, events } = record
    expect(steps.map(({ output }) => output)).toEqual([{ text: TEXT }, { text: TEXT }, 'published'])
    expect(steps[2]?.input).toEqual({ text: TEXT })
    const values = events.flatMap((event) =>
      event.type === 'step-start' && event.from !== 'write' ? [event.input] : [],
    )
    expect(values).toEqual([{ text: TEXT }, { text: TEXT }])
    expect(record.output).toBe('published')
    const [listed] = await dataOf<ExecutionRecord[]>(server.request('/observability/executions'))
    expect(listed?.omitted).toBeUndefined()
  })

  it('has all events in its stream', async () => {
    const messages = await messagesOf(server.request('/workflows/report/executions/e/stream?after=0'))
    const results = messages.flatMap(({ event }) => (event.type === 'step-complete' ? [event.output] : []))
    expect(results).toEqual([{ text: TEXT }, { text: TEXT }, 'published'])
    expect(messages.at(-1)?.event).toMatchObject({ type: 'workflow-result', result: 'published' })
  })
})
