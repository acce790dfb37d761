import { createAgent } from 'agentserver'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { expect, test } from 'vitest'
import { support } from './support.ts'

test('support looks up an order before it answers', async () => {
  const model = scriptedModel([
    { toolCalls: [{ toolName: 'order-status', input: { orderId: 'A-1' } }] },
    'It is on its way.',
  ])
  const runner = createTestRunner([], { agents: [createAgent({ ...support, model })] })

  const answer = await runner.client.generateText({
    params: { id: 'support' },
    body: { input: 'Where is A-1?' },
  })
  expect(answer.text).toBe('It is on its way.')
  expect(answer.toolResults).toMatchObject([{ output: { status: 'on its way' } }])
  expect(model.prompts).toEqual(['Where is A-1?', 'Where is A-1?'])
  await runner.close()
})
