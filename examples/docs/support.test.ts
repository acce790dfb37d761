import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { expect, test } from 'vitest'
import { reply } from './reply.ts'

test('support looks up an order before it answers', async () => {
  const model = scriptedModel([
    { toolCalls: [{ toolName: 'order-status', input: { orderId: 'A-1' } }] },
    'It is on its way.',
  ])
  const runner = createTestRunner([reply], { models: { support: model } })

  const done = await runner.run(reply, { question: 'Where is A-1?' })
  expect(done.result).toEqual({ subject: 'Your order', body: 'It is on its way.' })
  expect(model.prompts).toEqual(['Where is A-1?', 'Where is A-1?'])
  const [run] = await runner.client.api.listAgentHistory({ params: { id: 'support' } })
  expect(run?.steps[0]?.toolResults).toMatchObject([{ output: { status: 'on its way' } }])
  await runner.close()
})
