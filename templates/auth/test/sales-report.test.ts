import { randomBytes } from 'node:crypto'
import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { salesReport } from '../src/workflows/sales-report.ts'

vi.stubEnv('JWT_SECRET', randomBytes(32).toString('hex'))

const { default: config } = await import('../agentserver.config.ts')
const runner = createTestRunner({ config })
afterAll(() => runner.close())

const input = { month: '2026-10' }

test('a sales report has the sales of the tenant of its user', async () => {
  const report = await runner.run(salesReport, input, { user: { id: 'ada', tenantId: 'south' } })

  expect(report.result).toMatchObject({ tenantId: 'south', cents: 990_000, madeFor: 'ada' })
})

test('a user without a tenant gets no sales report', async () => {
  const report = await runner.run(salesReport, input, { user: { id: 'ada' } })

  expect(report.error).toMatchObject({ message: 'The user has no tenant', stepId: 'collect' })
})
