import { andThen, createWorkflow } from 'agentserver'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { CurrentUsage } from '../../src/contract/endpoints/usage.ts'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const workflow = (id: string) => createWorkflow({ id, name: id, inputSchema: z.object({}) })
const approval = workflow('approval').andThen({
  id: 'approve',
  execute: ({ suspend }): { approved: boolean } => suspend('sleeping on it', { reason: 'sleeping' }),
})
const sleep = workflow('sleep').andSleep({ id: 'nap', for: '1h' })
const event = workflow('event').andWaitForEvent({ id: 'paid', event: 'paid' })
const both = workflow('both').andAll({
  id: 'all',
  steps: [
    andThen({ id: 'approve', execute: ({ suspend }): { approved: boolean } => suspend('approval') }),
    andThen({ id: 'done', execute: () => ({}) }),
  ],
})
const workflows = [
  approval,
  sleep,
  event,
  both,
  workflow('parent-of-approval').andWorkflow({ id: 'child', workflow: approval }),
  workflow('parent-of-sleep').andWorkflow({ id: 'child', workflow: sleep }),
  workflow('parent-of-event').andWorkflow({ id: 'child', workflow: event }),
]

const server = new TestServer({ workflows })
afterAll(() => server.close())

it('executions that wait for a time, an event or in a child for them need nobody', async () => {
  for (const { id } of workflows) await dataOf(server.post(`/workflows/${id}/execute`, { input: {} }))
  const list = (query: string) => server.request(`/observability/executions?${query}&limit=50`)
  expect(await dataOf<unknown[]>(list('status=suspended'))).toHaveLength(10)
  const needed = await list('needsInput=true')
  expect(needed.headers.get('x-total-count')).toBe('3')
  const records = await dataOf<ExecutionRecord[]>(Promise.resolve(needed))
  expect(records.map(({ workflowId }) => workflowId)).toEqual(['parent-of-approval', 'both', 'approval'])
  const asleep = await dataOf<ExecutionRecord[]>(list('needsInput=false'))
  // by themselves, and as children with their parents
  expect(asleep.map(({ workflowId }) => workflowId).toSorted()).toEqual(
    ['sleep', 'event', 'sleep', 'event', 'parent-of-sleep', 'parent-of-event'].toSorted(),
  )
  const { suspended, needsYou } = await dataOf<CurrentUsage>(server.request('/observability/activity'))
  expect([suspended, needsYou.suspended]).toEqual([10, 3])
})
