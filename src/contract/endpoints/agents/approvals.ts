import { z } from 'zod'
import { DECIDER_KINDS, DECISION_INTERFACES } from '../../access/decision.ts'
import { PauseBeforeTools } from '../../breakpoints/pause-at.ts'
import { Instant, StepId } from '../../fields.ts'

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

/** A response to a tool call that a run waited for, and who gave it. */
export const DecidedCall = z
  .object({
    toolCallId: z.string(),
    toolName: z.string(),
    kind: z
      .enum(['tool', 'client-tool', 'elicitation'])
      .describe("An approval, the output of a client's tool, or the data of a form"),
    approvalId: z.string().optional().describe('Missing for the output of a tool'),
    approved: z.boolean().optional().describe('Missing for the output of a tool'),
    reason: z.string().optional().describe('Of a denial'),
    decidedAt: Instant,
    decidedBy: z.string().optional().describe('Id of the authenticated user'),
    decidedAs: z
      .enum(DECIDER_KINDS)
      .optional()
      .describe('As whom: a user; an operator, with the console key; code of the project; anyone'),
    decidedOver: z.enum(DECISION_INTERFACES).optional().describe('Over which interface'),
  })
  .meta({ id: 'DecidedCall' })
export type DecidedCall = z.infer<typeof DecidedCall>

/** The resume of a tool that waits in its middle. */
export const ResumeRunBody = z
  .object({
    stepId: StepId.optional().describe('Id or path of the wait; required while several are open'),
    resumeData: z.unknown().optional().describe('What the tool gets'),
  })
  .meta({ id: 'ResumeRunBody' })

/** The largest text of instructions, in characters. */
const MAX_INSTRUCTIONS = 200_000

export const Instructions = z.string().max(MAX_INSTRUCTIONS).regex(/\S/, 'Must not be blank')

/** The replay of an answer from one of its recorded calls. */
export const ReplayRunBody = z
  .object({
    stepId: StepId.describe('Call to start from: `model-2` for the second of the model, `tool-<toolCallId>`'),
    instructions: Instructions.optional().describe(
      'Console access: replaces those of the agent from there on',
    ),
    input: z.unknown().optional().describe('Console access: replaces the arguments of the tool call'),
    output: z
      .unknown()
      .optional()
      .describe('Console access: replaces the result of the tool call, which is not made'),
    options: z.object({ pauseAt: PauseBeforeTools }).optional(),
  })
  .meta({ id: 'ReplayRunBody' })

/** The resume of a wait within a chat. */
export const ChatResume = ResumeRunBody.extend({ runId: z.string().min(1).max(256) }).meta({
  id: 'ChatResume',
})

export const ApprovalsBody = z.object({ approvals: ApprovalResponses }).meta({ id: 'ApprovalsBody' })
