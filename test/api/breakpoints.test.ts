import { andThen, createWorkflow } from 'agentserver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExecutionState } from '../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const order = createWorkflow(
  { id: 'order' },
  andThen({ id: 'price', execute: () => ({ total: 40 }) }),
  andThen({ id: 'charge', execute: ({ data }) => ({ charged: data.total }) }),
)
const ask = createWorkflow({ id: 'ask' }).andThen({
  id: 'approve',
  execute: ({ suspend, resumeData }) => resumeData ?? suspend('ok?'),
})
const team = createWorkflow({
  id: 'team',
  run: ({ step }) =>
    Promise.all(
      ['left', 'right'].map((side) => step.run(side, ({ step: nested }) => nested.suspend('sign'))),
    ),
})
const ada = bearer(await tokenOf({ sub: 'ada' }))
const developer = { ...ada, ...keyHeader() }
const bypass = { 'x-service-dev': 'true' }
const PAUSED = { input: {}, options: { pauseAt: ['charge'] } }
let guarded: GuardedServer
let open: TestServer

beforeAll(() => {
  guarded = new GuardedServer({ authNext: { provider: provider() }, workflows: [order, ask] })
  open = new TestServer({ workflows: [order, ask, team] })
})
afterAll(async () => {
  await guarded.close()
  await open.close()
})

const post = (server: TestServer, path: string, json: object, headers: Record<string, string> = {}) =>
  server.request(path, { method: 'POST', headers, json })
const refusal = async (response: Promise<Response>) => {
  const { status } = await response
  const { error } = (await (await response).json()) as { error?: string }
  return [status, error]
}
const FORBIDDEN = (option: string) => [
  403,
  `options.${option}: requires console access: send the console access key as well (x-console-access-key)`,
]

it('an execution is paused, edited and continued over the API, and its state shows where it waits', async () => {
  const { executionId, suspension } = await dataOf<ExecutionResult>(
    post(open, '/workflows/order/execute', PAUSED),
  )
  expect(suspension).toMatchObject({ reason: 'breakpoint', stepId: 'charge', data: { total: 40 } })
  const base = `/workflows/order/executions/${executionId}`
  expect(await dataOf<ExecutionState>(open.request(`${base}/state`))).toMatchObject({
    status: 'suspended',
    pauseAt: ['charge'],
    suspension: { reason: 'breakpoint', stepId: 'charge', data: { total: 40 } },
  })
  const edited = { options: { data: { total: 2 } } }
  expect(await dataOf<ExecutionResult>(post(open, `${base}/resume`, edited))).toMatchObject({
    result: { charged: 2 },
  })
  const replayed = await dataOf<ExecutionResult>(
    post(open, `${base}/replay`, { stepId: 'price', options: { pauseAt: ['*'] } }),
  )
  expect(replayed.suspension?.stepId).toBe('price')
})

it('breakpoints and edited data need console access: a user token alone gets 403, without any effect', async () => {
  for (const action of ['execute', 'run', 'stream'])
    expect(await refusal(post(guarded, `/workflows/order/${action}`, PAUSED, ada))).toEqual(
      FORBIDDEN('pauseAt'),
    )
  const { executionId } = await dataOf<ExecutionResult>(
    post(guarded, '/workflows/order/execute', PAUSED, developer),
  )
  const base = `/workflows/order/executions/${executionId}`
  const resume = (options: object, headers: Record<string, string>) =>
    post(guarded, `${base}/resume`, { options }, headers)
  expect(await refusal(resume({ pauseAt: [] }, ada))).toEqual(FORBIDDEN('pauseAt'))
  expect(await refusal(resume({ data: null }, ada))).toEqual(FORBIDDEN('data'))
  const replay = { stepId: 'price', options: { pauseAt: ['*'] } }
  expect(await refusal(post(guarded, `${base}/replay`, replay, ada))).toEqual(FORBIDDEN('pauseAt'))
  const wrong = { ...ada, 'x-console-access-key': 'wrong' }
  expect(await refusal(resume({ data: 1 }, wrong))).toEqual(FORBIDDEN('data'))
  expect((await resume({ data: 1 }, keyHeader())).status).toBe(401)
  expect(await dataOf<ExecutionResult>(resume({ data: { total: 3 } }, developer))).toMatchObject({
    result: { charged: 3 },
  })
})

it('the development bypass may set breakpoints, and a user may continue at one', async () => {
  const { executionId } = await dataOf<ExecutionResult>(
    post(guarded, '/workflows/order/execute', PAUSED, bypass),
  )
  const resumed = post(guarded, `/workflows/order/executions/${executionId}/resume`, {}, ada)
  expect(await dataOf<ExecutionResult>(resumed)).toMatchObject({ result: { charged: 40 } })
})

it('unknown steps and data without a breakpoint are 400', async () => {
  const unknown = { input: {}, options: { pauseAt: ['ship'] } }
  expect(await refusal(post(open, '/workflows/order/execute', unknown))).toEqual([
    400,
    'options.pauseAt: the workflow "order" has no step "ship"; its steps are price, charge',
  ])
  const { executionId } = await dataOf<ExecutionResult>(post(open, '/workflows/ask/execute', { input: {} }))
  const data = post(open, `/workflows/ask/executions/${executionId}/resume`, { options: { data: 1 } })
  expect(await refusal(data)).toEqual([400, 'options.data: the execution is not suspended at a breakpoint'])
})

it('calls with the same id are resumed, replayed and paused at by their paths', async () => {
  const { executionId } = await dataOf<ExecutionResult>(post(open, '/workflows/team/execute', { input: {} }))
  const base = `/workflows/team/executions/${executionId}`
  const resume = (stepId: string, resumeData: string) =>
    dataOf<ExecutionResult>(post(open, `${base}/resume`, { resumeData, options: { stepId } }))
  expect(await resume('right/sign', 'R')).toMatchObject({ status: 'suspended' })
  expect(await resume('left/sign', 'L')).toMatchObject({ result: ['L', 'R'] })
  const again = { stepId: 'left/sign', options: { pauseAt: ['left/sign'] } }
  const { executionId: replayId } = await dataOf<{ executionId: string }>(post(open, `${base}/replay`, again))
  const record = () => dataOf<ExecutionState>(open.request(`/workflows/team/executions/${replayId}/state`))
  await expect
    .poll(async () => (await record()).suspension)
    .toMatchObject({ reason: 'breakpoint', stepId: 'sign' })
  expect(await refusal(post(open, `${base}/resume`, { options: { stepId: 'a//b' } }))).toEqual([
    400,
    expect.stringContaining('A path has the ids of the steps around it before it'),
  ])
})
