import { andThen, createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import type { ExecutionDetail } from '../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf } from '../support/server/responses.ts'

const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({}),
  needsApproval: true,
  callable: true,
  execute: () => 'refunded',
})
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Refund',
  tools: [refund],
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? 'Done' : { toolCalls: [{ toolName: 'refund', input: {} }] },
    ],
    { repeatLast: true },
  ),
})
const asks = createWorkflow(
  { id: 'asks' },
  andThen({
    id: 'ask',
    execute: ({ data, resumeData, suspend }) =>
      resumeData === undefined ? suspend('ok?', data) : { secret: 'of ada' },
  }),
)
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))
const DEV = { 'x-service-dev': 'true' }
let server: GuardedServer
beforeAll(() => {
  server = new GuardedServer(
    { authNext: { provider: provider() }, agents: [clerk], tools: [refund], workflows: [asks] },
    { level: 'info' },
  )
})
afterAll(() => server.close())

type Headers = Readonly<Record<string, string>>
const post = <T>(path: string, json: object, headers: Headers) =>
  dataOf<T>(server.request(path, { method: 'POST', headers, json }))

async function waitingRun() {
  const run = await post<AgentRunRecord>('/agents/clerk/text', { input: 'Go' }, ada)
  const approvals = (run.approvals ?? []).map(({ approvalId }) => ({ approvalId, approved: true }))
  return { id: run.id, approvals }
}
const history = () =>
  dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history', { headers: keyHeader() }))

it('the record of a run and the log have who decided about its calls, when, and over which road', async () => {
  const first = await waitingRun()
  await post(`/agents/clerk/runs/${first.id}/approvals`, { approvals: first.approvals }, ada)
  const second = await waitingRun()
  const denials = second.approvals.map((one) => ({ ...one, approved: false, reason: 'Too much' }))
  await post(`/observability/agents/clerk/runs/${second.id}/approvals`, { approvals: denials }, keyHeader())
  const byId = new Map((await history()).map((run) => [run.id, run.decisions]))
  const call = { toolName: 'refund', kind: 'tool', decidedAt: expect.any(String) as string }
  expect(byId.get(first.id)).toEqual([
    expect.objectContaining({
      ...call,
      approved: true,
      decidedBy: 'ada',
      decidedAs: 'user',
      decidedOver: 'http',
    }),
  ])
  expect(byId.get(second.id)).toEqual([
    expect.objectContaining({ ...call, approved: false, reason: 'Too much', decidedAs: 'operator' }),
  ])
  const logged = server.logs.filter(({ msg }) => String(msg).startsWith('Tool calls decided'))
  expect(logged).toMatchObject([
    { msg: 'Tool calls decided by ada over http', runId: first.id, decidedBy: 'ada', approved: ['refund'] },
    { msg: 'Tool calls decided by operator over http', decidedAs: 'operator', denied: ['refund'] },
  ])
})

it('the approval of a direct call is in the log', async () => {
  await post('/tools/refund/execute', { input: {}, approve: true }, ada)
  expect(server.logs).toContainEqual(
    expect.objectContaining({
      msg: 'Tool call approved by ada over http',
      toolName: 'refund',
      decidedBy: 'ada',
    }),
  )
})

it('the record, the events and the log of an execution have who resumed it, and over which road', async () => {
  const { executionId } = await post<ExecutionResult>('/workflows/asks/execute', { input: {} }, ada)
  await post(`/workflows/asks/executions/${executionId}/resume`, { resumeData: 1 }, DEV)
  const record = await dataOf<ExecutionDetail>(
    server.request(`/observability/executions/${executionId}`, { headers: keyHeader() }),
  )
  const resumed = { resumedAs: 'operator', resumedOver: 'http' }
  expect(record).toMatchObject(resumed)
  expect(record.events).toContainEqual(expect.objectContaining({ type: 'workflow-resumed', ...resumed }))
  expect(server.logs).toContainEqual(
    expect.objectContaining({ msg: 'Execution resumed by operator over http', executionId }),
  )
})

it('the search finds decisions by who made them', async () => {
  const { executionId } = await post<ExecutionResult>('/workflows/asks/execute', { input: {} }, ada)
  await post(`/workflows/asks/executions/${executionId}/resume`, { resumeData: 1 }, bob)
  const found = async () => {
    const path = '/observability/search?q=%22resumed%20by%20bob%22'
    return (await server.request(path, { headers: keyHeader() })).text()
  }
  await expect.poll(found, { timeout: 10_000 }).toContain(executionId)
  const byBob = await server.request('/observability/search?q=decided:bob', { headers: keyHeader() })
  expect(await byBob.text()).toContain(executionId)
  const byAda = await server.request('/observability/search?q=decided:ada', { headers: keyHeader() })
  expect(await byAda.text()).not.toContain(executionId)
})

it('a user who may resume an execution but not read it gets its id and status only', async () => {
  const start = () => post<ExecutionResult>('/workflows/asks/execute', { input: {} }, ada)
  const { executionId } = await start()
  const resume = (id: string, headers: Headers) =>
    post<object>(`/workflows/asks/executions/${id}/resume`, { resumeData: 1 }, headers)
  expect(await resume(executionId, bob)).toEqual({ executionId, status: 'completed' })
  expect(await resume((await start()).executionId, ada)).toMatchObject({ result: { secret: 'of ada' } })
})
