import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const booked: unknown[] = []
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
})
const book = createTool({
  name: 'book',
  description: 'Books a table',
  inputSchema: z.object({ people: z.number() }),
  execute: async (_, { elicit }) => {
    const answer = await elicit?.({ message: 'Where?', schema: z.object({ city: z.string() }) })
    booked.push(answer)
    return answer
  },
})
const agentOf = (id: string, toolName: string, input: object) =>
  createAgent({
    id,
    name: id,
    instructions: 'x',
    tools: [refund, book],
    model: scriptedModel(
      Array.from({ length: 20 }, () => [{ toolCalls: [{ toolName, input }] }, 'Done']).flat(),
    ),
  })

const clerk = agentOf('clerk', 'refund', { amount: 250 })
const host = agentOf('host', 'book', { people: 2 })
const server = new TestServer({ agents: [clerk, host] })
afterAll(() => server.close())

interface Pending {
  readonly approvalId: string
  readonly runId: string
  readonly runAgentId: string
}
const listed = () => dataOf<Pending[]>(server.request('/observability/approvals'))
const decide = ({ runAgentId, runId }: Pending, approval: object) =>
  server.post(`/observability/agents/${runAgentId}/runs/${runId}/approvals`, { approvals: [approval] })
const counted = async () => {
  const { needsYou } = await dataOf<{ needsYou: { approvals: number } }>(
    server.request('/observability/activity'),
  )
  return needsYou.approvals
}

it('pending approvals of all agents and users are listed, counted and decided in one place', async () => {
  expect(await listed()).toEqual([])
  const options = { userId: 'ada', conversationId: 'talk' }
  await server.post('/agents/clerk/text', { input: 'Refund it', options })
  await server.post('/agents/host/text', { input: 'Book it' })
  const response = await server.request('/observability/approvals?limit=1&offset=1')
  expect(response.headers.get('x-total-count')).toBe('2')
  expect(await dataOf(response)).toMatchObject([{ runAgentId: 'host' }])
  expect(await counted()).toBe(2)
  const [refunding, booking] = await listed()
  expect(refunding).toMatchObject({
    toolName: 'refund',
    input: { amount: 250 },
    runAgentId: 'clerk',
    userId: 'ada',
    conversationId: 'talk',
    expiresAt: expect.any(String),
  })
  expect(booking).toMatchObject({
    kind: 'elicitation',
    message: 'Where?',
    schema: { properties: { city: { type: 'string' } } },
  })
  const [run] = await dataOf<object[]>(server.request('/agents/host/history'))
  expect(run).toMatchObject({ status: 'suspended', approvals: [{ kind: 'elicitation', message: 'Where?' }] })
  if (!refunding || !booking) throw new Error('Not listed')
  const input = { amount: 200 }
  const { approvalId } = refunding
  await refusalOf(decide(refunding, { approvalId, approved: true, input: { amount: 'x' } }), 400)
  const answer = await dataOf(decide(refunding, { approvalId, approved: true, input }))
  expect(answer).toMatchObject({ text: 'Done', toolResults: [{ output: { refunded: 200 } }] })
  await refusalOf(decide(refunding, { approvalId, approved: true }), 409)
  const city = { approvalId: booking.approvalId, approved: true, input: { city: 'Bern' } }
  await dataOf(decide(booking, city))
  expect(booked).toEqual([{ action: 'accept', content: { city: 'Bern' } }])
  expect(await listed()).toEqual([])
  expect(await counted()).toBe(0)
})

it('outputs of client tools are not among the pending approvals', async () => {
  const locate = createTool({ name: 'locate', description: 'x', inputSchema: z.object({}) })
  const guide = createAgent({
    id: 'guide',
    name: 'Guide',
    instructions: 'x',
    tools: [locate],
    model: scriptedModel([{ toolCalls: [{ toolName: 'locate', input: {} }] }]),
  })
  const own = new TestServer({ agents: [guide] })
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Where am I?' }] }]
  const chat = await own.post('/agents/guide/chat', { id: 'talk', messages })
  await chat.text()
  const [run] = await dataOf<object[]>(own.request('/agents/guide/history'))
  expect(run).toMatchObject({ status: 'suspended' })
  expect(await dataOf(own.request('/observability/approvals'))).toEqual([])
  await own.close()
})

it('the answer after a decision is streamed on request, and completes when the reader leaves', async () => {
  const stream = ({ runAgentId, runId, approvalId }: Pending) =>
    server.request(`/observability/agents/${runAgentId}/runs/${runId}/approvals`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ approvals: [{ approvalId, approved: true }] }),
    })
  await server.post('/agents/clerk/text', { input: 'Refund it' })
  const [first] = await listed()
  const response = await stream(first as Pending)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const text = await response.text()
  expect(text).toMatch(
    /tool-output-available.*"refunded":250[\s\S]*text-delta[\s\S]*"type":"finish"[\s\S]*\[DONE\]/,
  )
  await server.post('/agents/clerk/text', { input: 'Refund it again' })
  const [second] = await listed()
  const left = await stream(second as Pending)
  await left.body?.cancel()
  const status = async () =>
    (await dataOf<{ id: string; status: string }[]>(server.request('/agents/clerk/history'))).find(
      ({ id }) => id === second?.runId,
    )?.status
  await expect.poll(status).toBe('completed')
  expect((await stream(second as Pending)).status).toBeGreaterThanOrEqual(404)
})
