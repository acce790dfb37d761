import { andThen, createWorkflow, NonRetryableError } from 'agentserver'
import { sendPayment } from '../services/bank.ts'
import { formatEuros } from '../services/money.ts'
import { ApprovalRequest, Decision, InvoiceInput, InvoiceResult } from './invoice-data.ts'

/** Invoices above this total need approval. */
const APPROVAL_LIMIT_CENTS = 50_000

export interface CheckedInvoice extends InvoiceInput {
  /** Missing while no approval was needed. */
  readonly decision?: Decision
  readonly paymentId?: string
}

export const invoice = createWorkflow({
  id: 'invoice',
  name: 'Invoice',
  purpose: 'Check, approve and pay a supplier invoice',
  inputSchema: InvoiceInput,
  resultSchema: InvoiceResult,
})
  .andThen({
    id: 'check',
    purpose: 'The lines add up to the total',
    execute: ({ data }): CheckedInvoice => {
      const sum = data.lines.reduce((total, { cents }) => total + cents, 0)
      if (sum !== data.totalCents)
        throw new NonRetryableError(
          `The lines add up to ${formatEuros(sum)}, the invoice says ${formatEuros(data.totalCents)}`,
        )
      return data
    },
  })
  .andWhen({
    id: 'approval',
    condition: ({ data }) => data.totalCents > APPROVAL_LIMIT_CENTS,
    step: andThen({
      id: 'approve',
      suspendSchema: ApprovalRequest,
      resumeSchema: Decision,
      // Runs twice: first without resumeData, which suspends the execution, then with the decision.
      execute: ({ data, resumeData, suspend }): CheckedInvoice => {
        if (resumeData) return { ...data, decision: resumeData }
        const { invoiceId, supplier, totalCents } = data
        return suspend(`Waiting for approval of ${formatEuros(totalCents)}`, {
          invoiceId,
          supplier,
          totalCents,
        })
      },
    }),
  })
  .andWhen({
    id: 'payment',
    condition: ({ data }) => data.decision?.approved !== false,
    step: andThen({
      id: 'pay',
      retries: { limit: 3, delayMs: 200 },
      timeoutMs: 5000,
      // The key is the same on every attempt, so the bank can ignore duplicates.
      execute: async ({ data, idempotencyKey, signal }): Promise<CheckedInvoice> => {
        const { supplier, totalCents: cents } = data
        return { ...data, paymentId: await sendPayment({ supplier, cents, idempotencyKey }, signal) }
      },
    }),
  })
  .andThen({
    id: 'close',
    execute: ({ data: { invoiceId, paymentId, decision } }) => ({
      invoiceId,
      status: paymentId === undefined ? ('rejected' as const) : ('paid' as const),
      paymentId: paymentId ?? null,
      approver: decision?.approver ?? null,
      comment: decision?.comment ?? null,
    }),
  })
