import { ApiError } from '../../client/api-error.ts'
import type { ApiClient } from '../../client/api.ts'
import { untilSettled } from '../../client/until-settled.ts'
import type { SettledEvent } from '../../client/until-settled.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import type { Case } from '../../contract/evals/case.ts'
import { withIds } from '../keep/response-ids.ts'

/** The output of a case, or why there is none. */
export interface TargetOutput {
  readonly output?: unknown
  readonly error?: string
  readonly traceId?: string | undefined
}

/**
 * Runs the target of a case with its input, and resumes it with the case's resume data, one for each suspension.
 *
 * @throws ApiError when the target does not exist, or refuses the input or the resume data.
 */
export function runTarget(client: ApiClient, tested: Case, signal: AbortSignal): Promise<TargetOutput> {
  const { target } = tested
  if ('workflow' in target) return runWorkflow(client, target.workflow, tested, signal)
  if ('agent' in target) return runAgent(client, target.agent, tested, signal)
  return runTool(client, target.tool, tested, signal)
}

async function runWorkflow(
  client: ApiClient,
  id: string,
  { input, options, resume = [] }: Case,
  signal: AbortSignal,
): Promise<TargetOutput> {
  const body = { input, ...(options && { options }) }
  const started = await client.executeWorkflow({
    params: { id },
    headers: { prefer: 'respond-async' },
    body,
    signal,
  })
  const params = { id, executionId: started.executionId }
  const left = [...resume]
  let settled = await untilSettled(client, params, { signal })
  while (settled.status === 'suspended' && left.length > 0) {
    const { stepId, data } = settled.suspension ?? {}
    const resumeData = withIds(left.shift(), data)
    await client
      .resumeExecution({ params, body: { resumeData, options: { stepId } }, signal })
      .catch(ignoreFailedRun)
    settled = await untilSettled(client, params, { after: settled.sequence, signal })
  }
  const { metadata } = await client.getExecution({ params, signal })
  return { ...outcomeOf(settled, left.length), traceId: metadata.traceId }
}

function outcomeOf({ status, result, error, suspension }: SettledEvent, unused: number): TargetOutput {
  if (status === 'completed')
    return unused > 0
      ? { error: `completed without ${unused} of the entries in \`resume\`` }
      : { output: result }
  if (status === 'suspended')
    return {
      error: `suspended at step "${suspension?.stepId}" (${suspension?.reason}); the case has no entry in \`resume\` for it`,
    }
  return { error: error ? `${error.name ?? 'Error'}: ${error.message}` : status }
}

/** A resumed execution that failed: its events say so. */
function ignoreFailedRun(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 500) throw error
}

/** One response to a tool call that waits for approval, in the order of the calls. */
interface Decision {
  readonly approved: boolean
  readonly input?: unknown
  readonly reason?: string
}

async function runAgent(
  client: ApiClient,
  id: string,
  { input, options = {}, resume = [] }: Case,
  signal: AbortSignal,
): Promise<TargetOutput> {
  const { schema, ...rest } = options as { readonly schema?: Record<string, unknown> }
  const body = { input: input as string, options: rest }
  let answer: AgentAnswer | AgentObject =
    schema === undefined
      ? await client.generateText({ params: { id }, body, signal })
      : await client.generateObject({ params: { id }, body: { ...body, schema }, signal })
  const left = [...resume]
  while (answer.approvals && left.length > 0) {
    const decisions = [left.shift()].flat() as Decision[]
    const approvals = answer.approvals.map(({ approvalId }, index) => ({
      approvalId,
      ...(decisions[index] ?? decisions.at(-1) ?? { approved: false }),
    }))
    answer = await client.respondToRun({
      params: { id, runId: answer.id },
      body: { approvals },
      signal,
    })
  }
  const { traceId, finishReason, reason, approvals } = answer
  if (approvals) {
    const tools = approvals.map(({ toolName }) => toolName).join(', ')
    return { error: `waits for approval of ${tools}; the case has no entry in \`resume\` for it`, traceId }
  }
  if (finishReason === 'guardrail') return { output: { blocked: reason }, traceId }
  return { output: 'object' in answer ? answer.object : answer.text, traceId }
}

async function runTool(
  client: ApiClient,
  name: string,
  { input, options }: Case,
  signal: AbortSignal,
): Promise<TargetOutput> {
  const { result, traceId } = await client.executeTool({
    params: { name },
    body: { input, ...options },
    signal,
  })
  return { output: result, traceId }
}
