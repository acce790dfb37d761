import { z } from 'zod'
import { AgentStreamPart } from '../../agent-event.ts'
import { endpoints } from '../../endpoint.ts'
import { AgentParams, TrialOptions } from '../agent.ts'
import { Instructions } from './approvals.ts'

/** Executes no tool unless it is asked to: a trial has no effects by itself. */
export const TrialBody = z
  .object({
    input: z
      .union([z.string().regex(/\S/, 'Must not be blank'), z.array(z.looseObject({})).min(1).max(1000)], {
        error: 'Must be a text, or a list of 1 to 1000 messages',
      })
      .describe('Text, or UIMessages or ModelMessages of the AI SDK'),
    instructions: Instructions.optional().describe('Replaces those of the agent'),
    model: z
      .string()
      .max(256)
      .optional()
      .describe('A model of the agent, or another one, as `provider/model`; default: as the agent'),
    tools: z.array(z.string()).max(200).optional().describe("Names of the agent's tools; default: all"),
    toolResults: z
      .array(z.object({ toolName: z.string(), input: z.unknown(), output: z.unknown() }))
      .max(200)
      .optional()
      .describe('Results of earlier calls, which the same calls return'),
    executeTools: z
      .boolean()
      .optional()
      .describe('Whether tools that need no approval are executed; default false'),
    options: TrialOptions.optional(),
  })
  .meta({ id: 'TrialBody' })
export type TrialBody = z.infer<typeof TrialBody>

export const InstructionsPatch = z
  .object({
    file: z.string().nullable().describe('File with the instructions, relative to the project'),
    patch: z.string().nullable().describe('Change of that file as a unified diff'),
    reason: z.string().optional().describe('Why there is none'),
  })
  .meta({ id: 'InstructionsPatch' })
export type InstructionsPatch = z.infer<typeof InstructionsPatch>

export const labEndpoints = endpoints({
  tryAgent: {
    method: 'POST',
    path: '/observability/agents/:id/trials',
    action: 'execute',
    group: 'observability',
    tag: 'Console',
    summary: 'Streams the answer of an agent with other instructions, model, tools or settings',
    params: AgentParams,
    body: TrialBody,
    reply: { kind: 'events', schema: AgentStreamPart },
    errors: [400, 404, 413, 415, 429],
  },
  patchInstructions: {
    method: 'POST',
    path: '/observability/agents/:id/instructions/patch',
    action: 'read',
    group: 'observability',
    tag: 'Console',
    summary: 'Returns the change of the source file that gives an agent other instructions; changes nothing',
    params: AgentParams,
    body: z.object({ instructions: Instructions }),
    reply: { kind: 'data', schema: InstructionsPatch },
    errors: [400, 404, 413, 415],
  },
})
