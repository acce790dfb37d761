import { andThen, createWorkflow } from 'agentserver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExecutionDetail, ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import {
  GUARDED_WORKFLOWS,
  GuardedServer,
  bearer,
  keyHeader,
  provider,
  tokenOf,
} from '../support/server/guarded-server.ts'
import { Gate, sampleWorkflows } from '../support/server/sample-workflows.ts'
import { dataOf } from '../support/server/responses.ts'
import { until } from '../support/until.ts'

/** Suspends, then returns who resumed it; a later step sees it, too. */
const approval = createWorkflow(
  { id: 'approval' },
  andThen({
    id: 'ask',
    execute: ({ resumeData, suspend, resumedBy }) => (resumeData ? (resumedBy ?? 'nobody') : suspend('ok?')),
  }),
  andThen({ id: 'after', execute: ({ data, resumedBy, user }) => ({ at: data, resumedBy, user }) }),
)

const gate = new Gate()
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob', role: 'manager' }))
let server: GuardedServer

beforeAll(() => {
  server = new GuardedServer(
    {
      authNext: { provider: provider() },
      workflows: [approval, ...GUARDED_WORKFLOWS, ...sampleWorkflows(gate)],
    },
    { level: 'info' },
  )
})
afterAll(() => server.close())

const post = <T>(path: string, json: object, headers: Readonly<Record<string, string>> = {}) =>
  dataOf<T>(server.request(path, { method: 'POST', headers, json }))
const act = <T>(id: string, action: string, json: object, headers: Readonly<Record<string, string>>) =>
  post<T>(`/workflows/${id.split('/')[0]}/executions/${id.split('/')[1]}/${action}`, json, headers)
const observed = (id: string) =>
  dataOf<ExecutionDetail>(server.request(`/observability/executions/${id}`, { headers: keyHeader() }))
const logged = (executionId: string) =>
  server.logs
    .filter((record) => record['executionId'] === executionId)
    .map((record) => Object.fromEntries(Object.entries(record).filter(([name]) => /^msg$|By$/.test(name))))

it('an execution shows who started and who resumed it: in the record, its events, the log and the step', async () => {
  const { executionId: id } = await post<ExecutionResult>('/workflows/approval/execute', { input: {} }, ada)
  expect(await observed(id)).toMatchObject({ startedBy: 'ada', ownerId: 'ada' })
  await act<ExecutionResult>(`approval/${id}`, 'resume', { resumeData: true }, bob)
  expect((await observed(id)).output).toEqual({
    at: { id: 'bob', role: 'manager' },
    resumedBy: { id: 'bob', role: 'manager' },
    user: { id: 'ada' },
  })
  const record = await observed(id)
  expect(record).toMatchObject({ startedBy: 'ada', resumedBy: 'bob', ownerId: 'ada' })
  expect(record).not.toHaveProperty('suspendedBy')
  expect(record.events).toContainEqual(expect.objectContaining({ type: 'workflow-start', startedBy: 'ada' }))
  expect(record.events).toContainEqual(
    expect.objectContaining({ type: 'workflow-resumed', resumedBy: 'bob' }),
  )
  expect(logged(id)).toEqual([
    { msg: 'Execution started', startedBy: 'ada' },
    { msg: 'Execution resumed by bob over http', resumedBy: 'bob' },
  ])
  const list = await dataOf<ExecutionRecord[]>(
    server.request('/workflows/executions', { headers: keyHeader() }),
  )
  expect(list.find((listed) => listed.id === id)).toMatchObject({ startedBy: 'ada', resumedBy: 'bob' })
})

it('an execution shows who suspended, cancelled and replayed it', async () => {
  const prefer = { ...ada, prefer: 'respond-async' }
  const sent = server.request('/workflows/hold/execute', {
    method: 'POST',
    headers: prefer,
    json: { input: {} },
  })
  const { executionId: id } = await dataOf<ExecutionResult>(sent, 202)
  await gate.arrival(id)
  const suspending = act(`hold/${id}`, 'suspend', { reason: 'lunch' }, bob)
  await until(() => logged(id).length === 2)
  gate.open(id)
  await suspending
  expect(await observed(id)).toMatchObject({ status: 'suspended', startedBy: 'ada', suspendedBy: 'bob' })
  await act(`hold/${id}`, 'cancel', {}, ada)
  const cancelled = await observed(id)
  expect(cancelled).toMatchObject({ status: 'cancelled', suspendedBy: 'bob', cancelledBy: 'ada' })
  expect(cancelled.events).toContainEqual(expect.objectContaining({ cancelledBy: 'ada' }))
  expect(cancelled.events).toContainEqual(expect.objectContaining({ suspendedBy: 'bob' }))
  expect(logged(id)).toEqual([
    { msg: 'Execution started', startedBy: 'ada' },
    { msg: 'Suspension requested', suspendedBy: 'bob' },
    { msg: 'Execution cancelled', cancelledBy: 'ada' },
  ])
})

it('a replay shows who replayed it', async () => {
  const { executionId: id } = await post<ExecutionResult>('/workflows/whoami/execute', { input: {} }, ada)
  const replay = await act<ExecutionResult>(`whoami/${id}`, 'replay', { stepId: 'tell' }, ada)
  expect(await observed(replay.executionId)).toMatchObject({
    startedBy: 'ada',
    replayedBy: 'ada',
    forkedFrom: { executionId: id },
  })
  expect(logged(replay.executionId)).toEqual([
    { msg: 'Execution replayed', startedBy: 'ada', replayedBy: 'ada' },
  ])
})
