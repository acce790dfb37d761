import { createSchedule, createWorkflow } from 'agentserver'
import { afterEach, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import type { ScheduleDetail } from '../../src/contract/endpoints/schedule.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const report = createWorkflow({
  id: 'report',
  inputSchema: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
}).andThen({ id: 'send', execute: ({ data }) => data })

const input = ({ scheduledAt }: { scheduledAt: Date }) => ({ day: scheduledAt.toISOString().slice(0, 10) })

function start(): void {
  server = new TestServer({
    workflows: [report],
    schedules: [
      createSchedule({
        id: 'daily',
        cron: '0 9 * * 1-5',
        timezone: 'Europe/Berlin',
        workflow: report,
        input,
      }),
      createSchedule({ id: 'often', every: '15m', workflow: report, input, paused: true }),
      createSchedule({
        id: 'strange',
        every: '15m',
        workflow: report,
        input: () => ({ day: 1 }),
        paused: true,
      }),
    ],
  })
}
const get = (id: string) => dataOf<ScheduleDetail>(server.request(`/schedules/${id}`))
const post = (path: string) => server.request(`/schedules/${path}`, { method: 'POST' })

it('schedules are listed with their next five instants and their last execution', async () => {
  start()
  const [daily, often] = await dataOf<ScheduleDetail[]>(server.request('/schedules'))
  expect(daily).toMatchObject({
    id: 'daily',
    workflowId: 'report',
    cron: '0 9 * * 1-5',
    timezone: 'Europe/Berlin',
    paused: false,
    lastRun: null,
    recentRuns: [],
  })
  expect(daily).not.toHaveProperty('every')
  expect(daily?.next).toHaveLength(5)
  const local = daily?.next.map((at) =>
    new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' }),
  )
  expect(new Set(local)).toEqual(new Set(['09:00:00']))
  expect(often).toMatchObject({ id: 'often', every: '15m', paused: true, next: [] })
  expect(await get('daily')).toEqual(daily)
})

it('a schedule is paused and resumed, as often as one likes', async () => {
  start()
  for (let round = 0; round < 2; round++) {
    expect(await dataOf<ScheduleDetail>(post('daily/pause'))).toMatchObject({ paused: true, next: [] })
    expect(await get('daily')).toMatchObject({ paused: true })
  }
  for (let round = 0; round < 2; round++) {
    const { paused, next } = await dataOf<ScheduleDetail>(post('daily/resume'))
    expect({ paused, next: next.length }).toEqual({ paused: false, next: 5 })
  }
})

it('a trigger starts an execution with the input of now, also of a paused schedule', async () => {
  start()
  const { executionId, status } = await dataOf<{ executionId: string; status: string }>(post('often/trigger'))
  expect(status).toBe('running')
  await expect
    .poll(async () => (await get('often')).lastRun)
    .toMatchObject({ executionId, status: 'completed' })
  const { input: used } = await server.record('report', executionId)
  expect(used).toEqual({ day: new Date().toISOString().slice(0, 10) })
  const { recentRuns } = await get('often')
  expect(recentRuns).toMatchObject([{ executionId, status: 'completed' }])
  const started = async (scheduleId: string) => {
    const path = `/workflows/executions?scheduleId=${scheduleId}`
    return (await dataOf<ExecutionRecord[]>(server.request(path))).map((record) => record.id)
  }
  expect(await started('often')).toEqual([executionId])
  expect(await started('daily')).toEqual([])
})

it('an unknown schedule is a 404, and an input that the workflow refuses a 400', async () => {
  start()
  for (const path of ['other/trigger', 'other/pause', 'other/resume']) {
    const response = await post(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'Schedule not found: other' })
  }
  expect((await server.request('/schedules/other')).status).toBe(404)
  const refused = await post('strange/trigger')
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('Schedule strange: Input validation failed: input.day')
})
