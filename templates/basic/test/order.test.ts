import { createTestRunner } from 'agentserver/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import config from '../agentserver.config.ts'
import { paymentsOf } from '../src/services/payments.ts'
import { Order, OrderInput } from '../src/workflows/order-data.ts'
import { order } from '../src/workflows/order.ts'
import { shipOrder } from '../src/workflows/ship-order.ts'

const email = 'ada@example.com'
const runner = createTestRunner({ config })

beforeAll(() => {
  // With no model configured the demo model answers: offline, and always the same.
  for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_HOST'])
    vi.stubEnv(name, '')
  vi.stubEnv('GOOGLE_GENERATIVE_AI_API_KEY', '')
})
afterAll(() => runner.close())

describe('a small order', () => {
  test('is charged and shipped without approval', async () => {
    const execution = await runner.run(order, { orderId: 'A-1', email, items: [{ sku: 'mug', quantity: 2 }] })

    expect(execution.status).toBe('completed')
    expect(execution.result).toMatchObject({
      orderId: 'A-1',
      status: 'shipped',
      trackingNumber: expect.stringMatching(/^(SW|PA)-[0-9A-F]{8}$/),
    })
    expect(execution.result?.message).toContain(email)
  })

  test('is charged once, although the first response of the payment provider is lost', async () => {
    const execution = await runner.run(order, {
      orderId: 'A-2',
      email,
      items: [{ sku: 'shirt', quantity: 1 }],
    })

    const { steps } = await execution.record()
    expect(steps.find(({ stepId }) => stepId === 'charge')?.attempts).toBe(2)
    expect(paymentsOf('A-2')).toHaveLength(1)
    expect(paymentsOf('A-2')[0]?.amountCents).toBe(execution.result?.totalCents)
  })

  test('is shipped by a child execution', async () => {
    const execution = await runner.run(order, { orderId: 'A-3', email, items: [{ sku: 'mug', quantity: 1 }] })

    const children = await runner.client.executions({ workflowId: 'ship-order' })
    expect(children.map(({ parentExecutionId }) => parentExecutionId)).toContain(execution.executionId)
  })
})

describe('the examples', () => {
  test('of the order are one that is shipped and one that waits for approval', async () => {
    const runs = (order.examples ?? []).map((example) => runner.run(order, OrderInput.parse(example)))
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(['completed', 'suspended'])
  })

  test('of the shipment get a tracking number', async () => {
    const execution = await runner.run(shipOrder, Order.parse(shipOrder.examples?.[0]))
    expect(execution.result?.trackingNumber).toMatch(/^SW-[0-9A-F]{8}$/)
  })
})

describe('the items of an order', () => {
  test('are packed one by one', async () => {
    const items = [
      { sku: 'mug', quantity: 2 },
      { sku: 'lamp', quantity: 1 },
      { sku: 'shirt', quantity: 3 },
    ]
    const execution = await runner.run(order, { orderId: 'A-4', email, items })

    const { steps } = await execution.record()
    const child = steps.find(({ stepId }) => stepId === 'ship')?.childExecutionId ?? ''
    const shipment = await runner.client.workflow('ship-order').execution(child).get()
    const packed = shipment.steps.find(({ stepId }) => stepId === 'pack')
    expect(packed?.output).toEqual([{ grams: 700 }, { grams: 1800 }, { grams: 600 }])
  })
})

describe('an order above the limit', () => {
  const items = [{ sku: 'desk', quantity: 1 }]

  test('waits for approval before it is charged', async () => {
    const execution = await runner.run(order, { orderId: 'B-1', email, items })

    expect(execution.status).toBe('suspended')
    expect(execution.suspension).toMatchObject({
      stepId: 'approve',
      reason: expect.stringContaining('over the limit'),
    })
    expect(paymentsOf('B-1')).toHaveLength(0)
  })

  test('continues when it is approved', async () => {
    const waiting = await runner.run(order, { orderId: 'B-2', email, items })
    const execution = await waiting.resume({ approved: true })

    expect(execution.status).toBe('completed')
    expect(execution.result?.status).toBe('shipped')
    expect(paymentsOf('B-2')).toHaveLength(1)
  })

  test('ends with a message and without a charge when it is rejected', async () => {
    const waiting = await runner.run(order, { orderId: 'B-3', email, items })
    const execution = await waiting.resume({ approved: false, note: 'The desk is not made any more.' })

    expect(execution.status).toBe('completed')
    expect(execution.result).toMatchObject({ status: 'rejected', trackingNumber: null })
    expect(execution.result?.message).toContain('The desk is not made any more.')
    expect(paymentsOf('B-3')).toHaveLength(0)
  })

  test('accepts only a valid decision, and stays suspended otherwise', async () => {
    const waiting = await runner.run(order, { orderId: 'B-4', email, items })

    await expect(waiting.resume({ approved: 'maybe' })).rejects.toThrow(/approved/)
    expect((await waiting.resume({ approved: true })).status).toBe('completed')
  })
})

describe('an invalid order', () => {
  test('is rejected before it starts when a field is missing', async () => {
    const input = { orderId: 'C-1', items: [{ sku: 'mug', quantity: 1 }] }

    await expect(runner.client.workflow('order').execute(input)).rejects.toThrow(/input\.email/)
  })

  test('fails with the reason when a product does not exist', async () => {
    const execution = await runner.run(order, {
      orderId: 'C-2',
      email,
      items: [{ sku: 'boat', quantity: 1 }],
    })

    expect(execution.status).toBe('error')
    expect(execution.error).toMatchObject({
      stepId: 'validate',
      message: 'Unknown product "boat"',
    })
  })

  test('fails without a charge when there is too little in stock', async () => {
    const execution = await runner.run(order, {
      orderId: 'C-3',
      email,
      items: [{ sku: 'desk', quantity: 7 }],
    })

    expect(execution.status).toBe('error')
    expect(execution.error?.message).toBe('Only 6 of "desk" are in stock')
    expect(paymentsOf('C-3')).toHaveLength(0)
  })
})
