import { createTestRunner } from 'agentserver/testing'
import type { OwnApp } from 'agentserver'
import { Hono } from 'hono'
import { afterAll, describe, expect, test } from 'vitest'
import { addApprovalRoutes } from '../src/routes/approvals.ts'
import { paymentsTo } from '../src/services/bank.ts'
import { invoice } from '../src/workflows/invoice.ts'

const runner = createTestRunner([invoice])
afterAll(() => runner.close())

const invoiceOf = (supplier: string, cents: number) => ({
  invoiceId: `${supplier}-1`,
  supplier,
  lines: [{ description: 'Services', cents }],
  totalCents: cents,
})

describe('an invoice', () => {
  test('below the limit is paid without approval, and once although the bank fails', async () => {
    const execution = await runner.run(invoice, invoiceOf('Paper Ltd', 12_000))

    expect(execution.result).toMatchObject({ status: 'paid', approver: null })
    expect(paymentsTo('Paper Ltd')).toHaveLength(1)
  })

  test('above the limit is paid after approval', async () => {
    const waiting = await runner.run(invoice, invoiceOf('Desks Ltd', 180_000))
    expect(waiting.suspension).toMatchObject({ stepId: 'approve', data: { totalCents: 180_000 } })
    expect(paymentsTo('Desks Ltd')).toEqual([])

    const done = await waiting.resume({ approved: true, approver: 'Grace' })
    expect(done.result).toMatchObject({ status: 'paid', approver: 'Grace' })
    expect(paymentsTo('Desks Ltd')).toHaveLength(1)
  })

  test('is not paid when it is rejected', async () => {
    const waiting = await runner.run(invoice, invoiceOf('Cars Ltd', 900_000))
    const done = await waiting.resume({ approved: false, approver: 'Grace', comment: 'Not ordered' })

    expect(done.result).toMatchObject({ status: 'rejected', paymentId: null, comment: 'Not ordered' })
    expect(paymentsTo('Cars Ltd')).toEqual([])
  })

  test('fails when the lines do not add up', async () => {
    const execution = await runner.run(invoice, { ...invoiceOf('Sums Ltd', 100), totalCents: 200 })

    expect(execution.status).toBe('error')
    expect(execution.error?.message).toBe('The lines add up to €1.00, the invoice says €2.00')
  })
})

describe('the approval page', () => {
  const app: OwnApp = new Hono()
  addApprovalRoutes(app, runner.client)
  const page = async (path = '/approvals') => (await app.request(path)).text()

  test('lists pending invoices and resumes the execution with the decision, once', async () => {
    const waiting = await runner.run(invoice, invoiceOf('<b>Chairs</b> Ltd', 70_000))
    expect(await page()).toContain('&lt;b&gt;Chairs&lt;/b&gt; Ltd: €700.00')

    const decide = () =>
      app.request(`/approvals/${waiting.executionId}`, {
        method: 'POST',
        body: new URLSearchParams({ approver: 'Grace', decision: 'approve' }),
      })
    expect((await decide()).headers.get('location')).toContain('Approved%20and%20paid')
    expect((await waiting.record()).output).toMatchObject({ status: 'paid', approver: 'Grace' })
    expect(await page()).not.toContain('Chairs')

    expect((await decide()).headers.get('location')).toContain('no%20longer%20waiting')
  })
})
