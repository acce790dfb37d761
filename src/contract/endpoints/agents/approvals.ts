import { z } from 'zod'

/** Decisions about tool calls that wait for approval. */
export const ApprovalResponses = z
  .array(
    z.object({
      approvalId: z.string().min(1).max(256),
      approved: z.boolean(),
      input: z.unknown().optional().describe('Edited arguments'),
      reason: z.string().max(10_000).optional().describe('Of a denial, for the model'),
    }),
  )
  .min(1)
  .max(1000)
  .meta({ id: 'ApprovalResponses' })

export const ApprovalsBody = z.object({ approvals: ApprovalResponses }).meta({ id: 'ApprovalsBody' })
