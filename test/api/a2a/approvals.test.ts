import { TaskState } from '@a2a-js/sdk'
import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { A2aTestServer, sending, taskIn, textOf } from './a2a-test-server.ts'

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
  const respond = (data: unknown) => {
    const request = sending('', { taskId: asked.id })
    const part = {
      content: { $case: 'data' as const, value: data },
      metadata: undefined,
      filename: '',
      mediaType: '',
    }
    if (request.message) request.message.parts = [part]
    return client.sendMessage(request)
  }
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
