import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Span, TraceDetail } from '../../src/contract/endpoints/trace.ts'
import { CliProject } from '../support/project/cli-project.ts'

/** Longer than the maximum delay of storing telemetry. */
const STORED_MS = 400

describe('the trace of an execution whose process was killed', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject()
  })
  afterEach(() => project.end())

  it('has the earlier spans, and continues with the recovered execution', async () => {
    const first = await project.serve('dev')
    const options = { executionId: 'survivor' }
    first.post('/workflows/slow/execute', { input: { n: 1 }, options }).catch(() => undefined)
    await project.noted('second')
    await new Promise((resolve) => setTimeout(resolve, STORED_MS))
    await first.kill('SIGKILL')
    project.openGate()
    const second = await project.serve('dev')
    const record = async () => (await second.get('/workflows/slow/executions/survivor')).data
    await expect.poll(async () => (await record()).status).toBe('completed')
    const { traceId, spanId } = (await record()).metadata as { traceId: string; spanId: string }
    const { spans } = (await second.get(`/observability/traces/${traceId}`)).data as TraceDetail
    const named = (name: string) => spans.filter((span) => span.name === name) as [Span, Span]
    const [before, after] = named('invoke_workflow slow')
    expect(before).toMatchObject({ spanId, status: 'error', endTime: null })
    expect(after).toMatchObject({
      parentSpanId: spanId,
      status: 'ok',
      links: [{ traceId, spanId, attributes: { 'agentserver.link.kind': 'continues' } }],
    })
    expect(named('step first').map(({ status }) => status)).toEqual(['ok'])
    expect(named('step second').map(({ status }) => status)).toEqual(['error', 'ok'])
  })
})
