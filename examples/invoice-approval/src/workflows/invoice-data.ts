import { z } from 'zod'

/** Input of the workflow. Amounts are whole cents. */
export const InvoiceInput = z.object({
  invoiceId: z.string().min(1).max(50),
  supplier: z.string().min(1).max(100),
  lines: z.array(z.object({ description: z.string().min(1), cents: z.int().positive() })).min(1),
  totalCents: z.int().positive(),
})
export type InvoiceInput = z.infer<typeof InvoiceInput>

/** Data of a suspended execution: everything the approver needs to decide. */
export const ApprovalRequest = InvoiceInput.pick({ invoiceId: true, supplier: true, totalCents: true })
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** Data that resumes the execution. */
export const Decision = z.object({
  approved: z.boolean(),
  approver: z.string().min(1).max(100),
  comment: z.string().max(500).optional(),
})
export type Decision = z.infer<typeof Decision>

export const InvoiceResult = z.object({
  invoiceId: z.string(),
  status: z.enum(['paid', 'rejected']),
  paymentId: z.string().nullable(),
  approver: z.string().nullable(),
  comment: z.string().nullable(),
})
