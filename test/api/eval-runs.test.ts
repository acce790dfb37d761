import { afterEach, describe, expect, it } from 'vitest'
import type {
  EvalRun,
  EvalRunDetail,
  EvalRunEvent,
  EvalSummary,
  PlannedCase,
} from '../../src/contract/endpoints/project/evals.ts'
import { LoadError } from '../../src/config/loader/errors/load-error.ts'
import { FakeEvals, HELD } from '../support/evals/fake-evals.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { until } from '../support/until.ts'

let server: TestServer
afterEach(() => server.close())

function serve(evals: FakeEvals): FakeEvals {
  server = new TestServer({}, { savedEvals: evals })
  return evals
}

const start = (id: string) => dataOf<EvalRun>(server.post(`/evals/${id}/run`), 202)
const read = (runId: string) => dataOf<EvalRunDetail>(server.request(`/evals/runs/${runId}`))
const cancel = (runId: string) => dataOf<EvalRun>(server.post(`/evals/runs/${runId}/cancel`))

async function follow(runId: string, lastEventId?: string): Promise<{ id: number; event: EvalRunEvent }[]> {
  const response = await server.request(`/evals/runs/${runId}`, {
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const text = await response.text()
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data = '']) => ({
    id: Number(id),
    event: JSON.parse(data) as EvalRunEvent,
  }))
}

const brief = (events: Awaited<ReturnType<typeof follow>>) =>
  events.map(({ id, event }) => `${id} ${event.type}`)

describe('runs of evals over HTTP', () => {
  it('are stored with their cases, and streamed from any event on', async () => {
    serve(new FakeEvals({ small: ['a', 'b', 'c'] }, (input) => (input === 'b' ? 'x' : input)))
    const run = await start('small')
    expect(run).toMatchObject({ evalId: 'small', status: 'running', endedAt: null })
    const events = await follow(run.id)
    expect(brief(events)).toEqual(['1 run-start', '2 case-end', '3 case-end', '4 case-end', '5 run-end'])
    expect(brief(await follow(run.id, '3'))).toEqual(['4 case-end', '5 run-end'])
    expect(await follow(run.id, '5')).toEqual([])
    const detail = await read(run.id)
    expect(detail).toMatchObject({
      status: 'completed',
      cases: 3,
      endedCases: 3,
      failedCases: 1,
      passed: true,
    })
    expect(detail.score).toBeCloseTo(2 / 3)
    expect(detail.results.find(({ position }) => position === 1)).toMatchObject({
      id: 'small/2',
      input: 'b',
      output: 'x',
      expected: 'b',
      scores: [{ name: 'equals', score: 0, reason: expect.stringContaining('expected "b"') as string }],
    })
    expect(await dataOf(server.request('/evals/small/runs'))).toMatchObject([{ id: run.id }])
    const page = await server.request('/evals/small/runs?limit=1&offset=1')
    expect(page.headers.get('x-total-count')).toBe('1')
    const [listed] = await dataOf<EvalSummary[]>(server.request('/evals'))
    expect(listed).toMatchObject({ id: 'small', target: { tool: 'echo' }, cases: 3, lastRun: { id: run.id } })
  })

  it('are preceded by their cases as saved, page by page, and by none while the code cannot be loaded', async () => {
    const evals = serve(new FakeEvals({ small: ['a', 'b', 'c'] }))
    const cases = async (path: string) => dataOf<PlannedCase[]>(server.request(path))
    const planned = (number: number, input: string) => ({
      id: `small/${number}`,
      target: { tool: 'echo' },
      input,
      expected: input,
      error: null,
      scorers: ['equals'],
    })
    expect(await cases('/evals/small/cases')).toEqual([planned(1, 'a'), planned(2, 'b'), planned(3, 'c')])
    const [, second] = await cases('/evals/small/cases')
    expect(await cases(`/evals/small/cases?caseId=${encodeURIComponent(second?.id ?? '')}`)).toEqual([second])
    expect(await cases('/evals/small/cases?caseId=none')).toEqual([])
    const page = await server.request('/evals/small/cases?limit=1&offset=2')
    expect(page.headers.get('x-total-count')).toBe('3')
    expect(await dataOf(Promise.resolve(page))).toEqual([planned(3, 'c')])
    expect(evals.opened).toBe(0)
    expect((await server.request('/evals/smal/cases')).status).toBe(404)
    evals.problem = new Error('Unexpected token')
    expect(await cases('/evals/small/cases')).toEqual([])
  })

  it('send what ends while somebody reads', async () => {
    serve(new FakeEvals({ held: ['a', HELD] }))
    const { id } = await start('held')
    const events = follow(id)
    await until(async () => (await read(id)).endedCases === 1)
    expect(await cancel(id)).toMatchObject({ status: 'cancelled', endedCases: 1, score: 1, passed: null })
    expect(brief(await events)).toEqual(['1 run-start', '2 case-end', '3 run-end'])
    expect((await server.post(`/evals/runs/${id}/cancel`)).status).toBe(409)
  })

  it('run one at a time for each eval, and four at a time in all', async () => {
    const evals = serve(new FakeEvals({ a: [HELD], b: [HELD], c: [HELD], d: [HELD], e: [HELD] }))
    const runs = [await start('a'), await start('b'), await start('c'), await start('d')]
    expect((await server.post('/evals/a/run')).status).toBe(409)
    const refused = await server.post('/evals/e/run')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    for (const { id } of runs) await cancel(id)
    await until(() => evals.held === 0)
    expect(await start('e')).toMatchObject({ status: 'running' })
  })

  it('are refused for an eval that does not exist', async () => {
    serve(new FakeEvals({ small: ['a'] }))
    for (const path of ['/evals/smal/run', '/evals/..%2f/run', '/evals/runs/nope/cancel'])
      expect([400, 404]).toContain((await server.post(path)).status)
    for (const path of ['/evals/smal/runs', '/evals/runs/nope'])
      expect((await server.request(path)).status).toBe(404)
  })

  it('fail with the error of the code as data', async () => {
    const evals = serve(new FakeEvals({ small: ['a'] }))
    evals.problem = new LoadError({ name: 'SyntaxError', message: 'Unexpected token', frame: '> 1 | }' })
    const problem = { name: 'SyntaxError', message: 'Unexpected token', frame: '> 1 | }' }
    expect(await dataOf(server.request('/evals'))).toMatchObject([{ id: 'cases', lastRun: null, problem }])
    const { id } = await start('small')
    expect(brief(await follow(id))).toEqual(['2 run-end'])
    expect(await read(id)).toMatchObject({ status: 'failed', error: problem, passed: null, results: [] })
    expect(await dataOf(server.request('/evals'))).toMatchObject([{ id: 'small', lastRun: { id }, problem }])
  })

  it('end when the server stops', async () => {
    const evals = serve(new FakeEvals({ held: [HELD] }))
    await start('held')
    await until(() => evals.held === 1)
    await server.close()
    expect(evals.held).toBe(0)
  })
})
