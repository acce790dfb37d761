import { z } from 'zod'
import { Instant } from '../fields.ts'
import { Compensating, Compensation } from '../status.ts'

export const SuspendResult = z.object({
  executionId: z.string(),
  status: z.literal('suspended'),
  suspension: z.object({ suspendedAt: Instant, reason: z.string() }),
})
export type SuspendResult = z.infer<typeof SuspendResult>

export const SuspendPending = z.object({
  executionId: z.string(),
  status: z.literal('running'),
  suspension: z.object({ requestedAt: Instant, reason: z.string() }),
})
export type SuspendPending = z.infer<typeof SuspendPending>

export const CancelResult = z.object({
  executionId: z.string(),
  status: z.literal('cancelled'),
  cancelledAt: Instant,
  reason: z.string(),
  compensation: Compensation.optional(),
})
export type CancelResult = z.infer<typeof CancelResult>

export const CancelPending = z.object({
  executionId: z.string(),
  status: z.literal('running'),
  compensating: Compensating,
})
export type CancelPending = z.infer<typeof CancelPending>
