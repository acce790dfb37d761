import { createWorkflow } from 'agentserver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExecutionDetail } from '../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf } from '../support/server/responses.ts'

let passes = 0
/** Its calls differ from pass to pass: the record does not fit. */
const order = createWorkflow({
  id: 'order',
  run: async ({ step }) => {
    await step.run(`charge-${++passes}`, () => 'c1')
    return step.suspend('ask')
  },
})
const ada = bearer(await tokenOf({ sub: 'ada' }))
let server: GuardedServer

beforeAll(() => {
  server = new GuardedServer({ authNext: { provider: provider() }, workflows: [order] })
})
afterAll(() => server.close())

it('accepting changes needs console access, and is recorded with who did it', async () => {
  const started = await server.post('/workflows/order/execute', { input: {} }, ada)
  const { executionId } = await dataOf<ExecutionResult>(started)
  const base = `/workflows/order/executions/${executionId}`
  const refused = await server.post(`${base}/resume`, { resumeData: 'yes' }, ada)
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({
    error: expect.stringContaining('does not fit the changed code'),
    misfits: [{ stepId: 'charge-1' }],
    hint: expect.stringContaining('options.acceptChanges'),
  })
  const accept = (headers: Record<string, string>) =>
    server.post(`${base}/resume`, { options: { acceptChanges: true } }, headers)
  const forbidden = await accept(ada)
  expect(forbidden.status).toBe(403)
  expect(await forbidden.json()).toMatchObject({
    error: expect.stringContaining('options.acceptChanges: requires console access'),
  })
  expect(await dataOf<ExecutionResult>(accept({ ...ada, ...keyHeader() }))).toMatchObject({
    status: 'completed',
    result: 'yes',
  })
  const record = await dataOf<ExecutionDetail>(
    server.request(`/observability/executions/${executionId}`, { headers: keyHeader() }),
  )
  const metrics = await server.request('/observability/metrics', { headers: keyHeader() })
  expect(await metrics.text()).toContain('agentserver_executions_changed_code_total{workflow="order"} 1')
  expect(record.acceptedChanges).toMatchObject({ by: 'ada', over: 'http', at: expect.any(String) })
})
