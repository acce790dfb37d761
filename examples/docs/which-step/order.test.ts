import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { asChain } from './chain.ts'
import { asFunction } from './function.ts'

const runner = createTestRunner([asChain, asFunction])
afterAll(() => runner.close())

test.each([asChain, asFunction])('$id waits for approval, then for its delivery', async (workflow) => {
  const large = await runner.run(workflow, { orderId: workflow.id, skus: ['mug', 'lamp'] })
  expect(large.suspension).toMatchObject({ reason: 'Large order' })
  const shipped = await large.resume({ by: 'Grace' })
  expect(shipped).toMatchObject({ status: 'suspended', suspension: { reason: 'waiting for event' } })
})
