import { z } from 'zod'

/** An expense as an employee submits it. Amounts are in cents. */
export const ExpenseInput = z.object({
  employee: z.email(),
  manager: z.email(),
  purpose: z.string().min(1).max(200),
  items: z.array(z.object({ what: z.string().min(1), cents: z.int().positive() })).min(1),
})
export type ExpenseInput = z.infer<typeof ExpenseInput>

/** The level of a decision: the manager, then, above a limit, finance. */
export const Level = z.enum(['manager', 'finance'])
export type Level = z.infer<typeof Level>

/** The decision of an approver. A rejection needs a comment. */
export const Decision = z
  .object({ approved: z.boolean(), by: z.email(), comment: z.string().min(1).max(500).optional() })
  .refine(({ approved, comment }) => approved || comment !== undefined, 'A rejection needs a comment')
export type Decision = z.infer<typeof Decision>

/** The data that an approver needs for a decision. */
export const ApprovalRequest = z.object({
  level: Level,
  approver: z.email(),
  employee: z.email(),
  purpose: z.string(),
  totalCents: z.int(),
})
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** An expense between the steps of the workflow. */
export interface Expense extends ExpenseInput {
  readonly totalCents: number
  /** Oldest first. */
  readonly decisions: readonly (Decision & { readonly level: Level })[]
  readonly transferId?: string
}

/** The result of a closed expense. */
export const ExpenseResult = z.object({
  status: z.enum(['paid', 'rejected']),
  totalCents: z.int(),
  transferId: z.string().nullable(),
  decidedBy: z.array(z.string()),
  reason: z.string().nullable(),
})
