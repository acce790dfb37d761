import type { OwnApp } from 'agentserver'
import { ApiError, type Client } from 'agentserver/client'
import { ApprovalRequest, Decision } from '../workflows/invoice-data.ts'
import { approvalsPage, type PendingInvoice } from './approvals-page.ts'

/** Adds `GET /approvals`, the list of invoices that wait for approval, and `POST`, which decides on one. */
export function addApprovalRoutes(app: OwnApp, client: Client): void {
  app.get('/approvals', async (c) =>
    c.html(approvalsPage(await pendingInvoices(client), c.req.query('message'))),
  )

  app.post('/approvals/:executionId', async (c) => {
    const form = await c.req.parseBody()
    const decision = Decision.safeParse({ ...form, approved: form['decision'] === 'approve' })
    if (!decision.success) return c.redirect(pageWith('Enter your name.'), 303)
    return c.redirect(pageWith(await decide(client, c.req.param('executionId'), decision.data)), 303)
  })
}

const pageWith = (message: string) => `../approvals?message=${encodeURIComponent(message)}`

async function pendingInvoices(client: Client): Promise<PendingInvoice[]> {
  const executions = await client.executions({ workflowId: 'invoice', status: 'suspended', limit: 200 })
  return executions.flatMap(({ id, suspension }) => {
    // An execution that was suspended through the API carries no approval request.
    const request = ApprovalRequest.safeParse(suspension?.data)
    return request.success ? [{ ...request.data, executionId: id }] : []
  })
}

/** Resumes the execution and returns what happened. The second of two decisions fails with 404. */
async function decide(client: Client, executionId: string, decision: Decision): Promise<string> {
  try {
    await client.workflow('invoice').execution(executionId).resume(decision)
    return decision.approved ? 'Approved and paid.' : 'Rejected.'
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return 'This invoice is no longer waiting for approval.'
    throw error
  }
}
