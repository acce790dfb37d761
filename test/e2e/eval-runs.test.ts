import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EvalRun, EvalRunDetail } from '../../src/contract/endpoints/project/evals.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const caseOf = (workflow: string, input: object, expected: object) =>
  JSON.stringify({ target: { workflow }, input, expected })

const FILES = {
  'cases/orders/small.json': caseOf('order', { orderId: 'a' }, { orderId: 'a', amount: 1, charged: true }),
  'cases/orders/refused.json': caseOf('order', { orderId: 7 }, {}),
  'cases/slow/held.json': caseOf('slow', { n: 1 }, { n: 1 }),
  'src/slow.eval.ts': `
    import { createEval } from 'agentserver'
    export default createEval({ id: 'held', target: { workflow: 'slow' }, cases: 'cases/slow/*.json', threshold: 0 })
  `,
}

describe('runs of evals beside a server', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject(FILES)
  })
  afterEach(() => project.end())

  it('run the code as saved, and their executions are not among the others; a case that cannot run is an error', async () => {
    const server = await project.serve('dev')
    const { data } = await server.post('/evals/cases/run', {})
    const { id } = data as EvalRun
    const detail = async () => (await server.get(`/evals/runs/${id}`)).data as EvalRunDetail
    await until(async () => (await detail()).status !== 'running')
    const run = await detail()
    expect(run).toMatchObject({ status: 'failed', cases: 2, score: 0.5, passed: null })
    expect(run.error?.message).toContain('cases/orders/refused.json: Input validation failed: input.orderId')
    const [refused, small] = run.results.toSorted((a, b) => a.score - b.score)
    expect(refused).toMatchObject({ score: 0, error: expect.stringContaining('orderId') as string })
    expect(small).toMatchObject({ score: 1, output: { charged: true } })
    expect((await server.get(`/observability/traces/${small?.traceId}`)).data).toMatchObject({
      spanCount: expect.any(Number) as number,
    })
    expect((await server.get('/workflows/executions')).data).toEqual([])
    // the server in service still runs its code
    expect((await server.post('/workflows/order/execute', { input: { orderId: 'b' } })).data).toMatchObject({
      status: 'completed',
    })
  })

  it('are interrupted when their process was killed, and can be started again', async () => {
    const first = await project.serve('dev')
    const { data } = await first.post('/evals/held/run', {})
    const { id } = data as EvalRun
    await project.noted('second')
    await first.kill('SIGKILL')
    project.openGate()
    const second = await project.serve('dev')
    expect((await second.get(`/evals/runs/${id}`)).data).toMatchObject({ status: 'interrupted' })
    const again = (await second.post('/evals/held/run', {})).data as EvalRun
    const status = async () => ((await second.get(`/evals/runs/${again.id}`)).data as EvalRunDetail).status
    await expect.poll(status).toBe('completed')
  })
})
