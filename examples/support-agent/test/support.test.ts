import { createAgent } from 'agentserver'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { expect, test } from 'vitest'
import { shipping } from '../src/agents/shipping.ts'
import { support } from '../src/agents/support.ts'
import { orders } from '../src/services/orders.ts'

type Script = Parameters<typeof scriptedModel>[0]

/** Runs the support agent with scripted answers in place of a model. */
function supportWith(script: Script, shippingScript: Script = []) {
  const model = scriptedModel(script)
  const shippingAgent = createAgent({ ...shipping, model: scriptedModel(shippingScript) })
  const agent = createAgent({ ...support, model, subAgents: [shippingAgent] })
  const { client, close } = createTestRunner([], { agents: [agent] })
  const ask = (input: string, conversationId?: string) =>
    client.agent('support').generate(input, conversationId === undefined ? {} : { conversationId })
  return { ask, model, [Symbol.asyncDispose]: close }
}

const refundCall = (orderId: string) => ({
  toolCalls: [{ toolName: 'refund-order', input: { orderId, reason: 'Broken' } }],
})

test('the agent looks an order up before it answers', async () => {
  await using agent = supportWith([
    { toolCalls: [{ toolName: 'find-order', input: { orderId: 'A-1001' } }] },
    'It is on its way.',
  ])
  const { text, toolResults } = await agent.ask('Where is A-1001?')

  expect(text).toBe('It is on its way.')
  expect(toolResults).toMatchObject([{ output: { state: 'shipped', trackingNumber: 'TRK-7001' } }])
})

test('the agent asks the shipping agent where a parcel is', async () => {
  await using agent = supportWith(
    [{ toolCalls: [{ toolName: 'ask_shipping', input: { prompt: 'Where is TRK-7001?' } }] }, 'In Leipzig.'],
    [{ toolCalls: [{ toolName: 'track-parcel', input: { trackingNumber: 'TRK-7001' } }] }, 'Leipzig, 2 May.'],
  )
  const { toolResults } = await agent.ask('Where is my parcel TRK-7001?')

  expect(JSON.stringify(toolResults)).toContain('Leipzig, 2 May.')
})

test('a small refund is made, a large one waits for a person', async () => {
  await using agent = supportWith([refundCall('A-1001'), 'Refunded.', refundCall('A-1002')])
  await agent.ask('Refund A-1001')
  const { finishReason, approvals } = await agent.ask('Refund A-1002')

  expect(orders.get('A-1001')?.state).toBe('refunded')
  expect(finishReason).toBe('approval-required')
  expect(approvals).toMatchObject([{ toolName: 'refund-order', input: { orderId: 'A-1002' } }])
  expect(orders.get('A-1002')?.state).toBe('paid')
})

test('a conversation remembers earlier messages', async () => {
  await using agent = supportWith(['Hello Ada.', 'Your name is Ada.'])
  await agent.ask('I am Ada.', 'c-1')
  await agent.ask('What is my name?', 'c-1')

  expect(JSON.stringify(agent.model.calls[1]?.prompt)).toContain('I am Ada.')
})
