import { z } from 'zod'
import type { Agent } from '../../../agent/agent.ts'
import type { GeneratedStep } from '../../../agent/answer/generated.ts'
import type { AgentInput } from '../../../agent/per-request.ts'
import { resolveAgent } from '../../../agent/resolve-agent.ts'
import { subAgentToolName } from '../../../agent/sub-agent.ts'
import type { Tool } from '../../../agent/tools/tool.ts'
import type { User } from '../../../contract/auth.ts'
import type { Approvers } from '../../../contract/access/callers.ts'
import type { AgentOptions } from '../../../contract/endpoints/agent.ts'
import { ApprovalResponses } from '../../../contract/endpoints/agents/approvals.ts'
import { AppError } from '../../../lib/errors.ts'
import { compileSchema, formatIssues } from '../../../lib/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { agentInput } from '../continuation.ts'
import { approversOf, continuationIn, checkValues, toolsWithin } from './answer-responses.ts'

const StepResponses = z.strictObject({
  approvals: z.array(ApprovalResponses.element.strict()).max(1000).default([]),
  toolOutputs: z
    .array(
      z
        .strictObject({
          toolCallId: z.string(),
          output: z.unknown().optional(),
          errorText: z.string().max(10_000).optional(),
        })
        .refine(({ output, errorText }) => (output === undefined) !== (errorText === undefined), {
          path: ['output'],
          message: 'must have either output or errorText',
        }),
    )
    .max(1000)
    .default([]),
})
const stepResponses = compileSchema(StepResponses)

/**
 * Validates the data that resumes a step whose agent waits: one response for each call. Resolves with who may approve the
 * calls, as far as their tools declare it.
 *
 * @throws AppError `invalid_input` naming the field; `conflict` when the run does not wait, or a tool was removed.
 */
export async function checkStepResponses(
  agent: Agent,
  runId: string,
  { responses, store }: { readonly responses: unknown; readonly store: Store },
): Promise<Approvers[]> {
  const checked = await stepResponses.validate(responses)
  if (!checked.ok) throw invalid(formatIssues(checked.issues, 'resumeData'))
  const { approvals, toolOutputs } = checked.value as z.output<typeof StepResponses>
  const continuation = continuationIn(await store.agentRuns.continuation(runId))
  if (!continuation?.waiting) throw new AppError('conflict', `Run ${runId} of the step's agent does not wait`)
  const { pending } = continuation.waiting
  checkComplete('approvals[].approvalId', {
    pending: pending.approvals.map(({ approvalId }) => approvalId),
    given: approvals.map(({ approvalId }) => approvalId),
  })
  checkComplete('toolOutputs[].toolCallId', {
    pending: pending.toolCalls.map(({ toolCallId }) => toolCallId),
    given: toolOutputs.map(({ toolCallId }) => toolCallId),
  })
  const given = { approvals, toolOutputs }
  await checkValues(agent, continuation, { responses: given, store, at: 'resumeData.' })
  const approvers = await approversOf(agent, continuation, { approvals, store })
  return approvers.filter((one) => one !== undefined)
}

interface DecidedAnswer {
  readonly runId: string
  /** Whom the answer was for. */
  readonly user: User | undefined
  readonly agentOf: (id: string) => Agent | undefined
  readonly store: Store
}

/**
 * Who had to approve the calls of a step's run that has waited, as far as their tools declare it today. Of a sub-agent that it
 * asked, those of all its tools.
 */
export async function approversOfAnswered({
  runId,
  user,
  agentOf,
  store,
}: DecidedAnswer): Promise<Approvers[]> {
  const [row] = await store.agentRuns.list({ id: runId }, { limit: 1, offset: 0 })
  const agent = row && agentOf(row.agentId)
  if (!row || !agent) return []
  const steps = JSON.parse(row.steps ?? '[]') as readonly GeneratedStep[]
  const called = new Set(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName)))
  const options = {
    ...(JSON.parse(row.options ?? '{}') as AgentOptions),
    conversationId: row.conversationId ?? undefined,
  }
  const prompt = JSON.parse(row.input) as AgentInput['input']
  const input = agentInput({ prompt, options, user: user ?? null })
  const own = (await toolsOf(agent, input)).filter(({ name }) => called.has(name))
  const asked = agent.subAgents.filter((subAgent) => called.has(subAgentToolName(subAgent)))
  const nested = await Promise.all(asked.map((subAgent) => toolsWithin(subAgent, input)))
  return [...own, ...nested.flat()].flatMap(({ access }) => access?.approvedBy ?? [])
}

async function toolsOf(agent: Agent, input: AgentInput): Promise<readonly Tool[]> {
  return (await resolveAgent(agent, input, new AbortController().signal)).tools
}

interface Ids {
  readonly pending: readonly string[]
  readonly given: readonly string[]
}

/** Each pending call has exactly one response, and no other has one. */
function checkComplete(field: string, { pending, given }: Ids): void {
  const open = new Set(pending)
  const [list = '', id = ''] = field.split('[].')
  for (const [index, one] of given.entries()) {
    const path = `resumeData.${list}[${index}].${id}`
    if (open.delete(one)) continue
    throw invalid(
      pending.includes(one)
        ? `${path}: ${one} has two responses`
        : `${path}: the step does not wait for ${one}`,
    )
  }
  const [missing] = open
  if (missing !== undefined) throw invalid(`resumeData.${list}: ${missing} has no response`)
}

function invalid(problem: string): AppError {
  return new AppError('invalid_input', `Resume data validation failed: ${problem}`)
}
