import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Span, TraceDetail } from '../../../src/contract/endpoints/trace.ts'
import { openStore } from '../../../src/store/open.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import { until } from '../../support/until.ts'

/** The names of the spans in the database of a running server. */
async function storedNames({ root }: CliProject): Promise<string[]> {
  const store = await openStore({ url: 'file:.agentserver/data.db', root, readOnly: true })
  try {
    const [trace] = await store.traces.list({}, { limit: 1 })
    const spans = await store.traces.spans(trace?.traceId ?? '', { limit: 100 })
    return spans.map(({ data }) => (JSON.parse(data) as { name: string }).name)
  } finally {
    await store.close()
  }
}

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
    await until(() => storedNames(project).then((names) => names.includes('step first')))
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
