import { type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import { connectMcpServer, createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { A2aTestServer, sending, taskIn, textOf } from './a2a-test-server.ts'

const ASKING_SERVER = fileURLToPath(new URL('../mcp/asking-server.mjs', import.meta.url))

const refunds: unknown[] = []
const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: (input) => {
    refunds.push(input)
    return 'refunded'
  },
})
const careful = createAgent({
  id: 'helper',
  name: 'Careful',
  instructions: 'x',
  tools: [refund],
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'All done'
          : {
              toolCalls: [
                { toolName: 'refund', input: { amount: 1 } },
                { toolName: 'refund', input: { amount: 2 } },
              ],
            },
    ],
    { repeatLast: true },
  ),
})
const a2a = new A2aTestServer({ agents: [careful] })
beforeAll(() => a2a.open())
afterAll(() => a2a.close())

/** A message to a task with one data part. */
function responding(taskId: string, data: unknown): SendMessageRequest {
  const request = sending('', { taskId })
  const content = { $case: 'data' as const, value: data }
  if (request.message) request.message.parts = [{ content, metadata: undefined, filename: '', mediaType: '' }]
  return request
}

interface Waiting {
  readonly approvals: readonly { readonly approvalId: string; readonly input: unknown }[]
}

it('a task whose tool needs approval requires input, and continues with approvals in a data part', async () => {
  const client = await a2a.connect()
  const asked = taskIn(await client.sendMessage(sending('Refund')))
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const read = await client.getTask({ tenant: '', id: asked.id })
  const part: unknown = read.status?.message?.parts[0]?.content?.value
  const { approvals } = part as Waiting
  expect(approvals).toMatchObject([{ input: { amount: 1 } }, { input: { amount: 2 } }])
  const [first, second] = approvals.map(({ approvalId }) => approvalId)
  const respond = (data: unknown) => client.sendMessage(responding(asked.id, data))
  await expect(respond({ yes: true })).rejects.toThrow('approvals')
  await expect(respond({ approvals: [{ approvalId: 'forged', approved: true }] })).rejects.toThrow('forged')
  const waiting = taskIn(await respond({ approvals: [{ approvalId: first, approved: true }] }))
  expect(waiting.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  expect(refunds).toEqual([])
  const done = taskIn(await respond({ approvals: [{ approvalId: second, approved: false }] }))
  expect(done.id).toBe(asked.id)
  expect(textOf(done)).toBe('All done')
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(refunds).toEqual([{ amount: 1 }])
})

it('a task that waits for approval can be cancelled', async () => {
  const client = await a2a.connect()
  const asked = taskIn(await client.sendMessage(sending('Refund')))
  const cancelled = await client.cancelTask({ tenant: '', id: asked.id, metadata: undefined })
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
})

it('a task whose tool requests a form requires input, and continues with the data of the form', async () => {
  const asking = connectMcpServer({ id: 'asking', command: process.execPath, args: [ASKING_SERVER] })
  const clerk = createAgent({
    id: 'helper',
    name: 'Clerk',
    instructions: 'x',
    tools: [asking],
    model: scriptedModel(
      [
        ({ prompt }) =>
          prompt.at(-1)?.role === 'tool'
            ? `Delivered: ${JSON.stringify(prompt.at(-1))}`
            : { toolCalls: [{ toolName: 'asking_elicit', input: {} }] },
      ],
      { repeatLast: true },
    ),
  })
  const server = new A2aTestServer({ agents: [clerk], mcpServers: [asking] })
  await server.open()
  onTestFinished(() => server.close())
  const client = await server.connect()
  const asked = taskIn(await client.sendMessage(sending('Go')))
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const part = asked.status?.message?.parts.find(({ content }) => content?.$case === 'data')
  const { approvals } = (part?.content?.value ?? { approvals: [] }) as Waiting
  expect(approvals).toMatchObject([
    { kind: 'elicitation', message: 'Deliver where?', schema: { required: ['city'] } },
  ])
  const respond = (input: unknown) => {
    const [form] = approvals
    return client.sendMessage(
      responding(asked.id, { approvals: [{ approvalId: form?.approvalId, approved: true, input }] }),
    )
  }
  await expect(respond({ city: 'B' })).rejects.toThrow('city')
  const done = taskIn(await respond({ city: 'Bern' }))
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(textOf(done)).toContain('Bern')
})
