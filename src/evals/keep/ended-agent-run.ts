import type { AgentRunRecord } from '../../contract/endpoints/agent.ts'
import { AppError } from '../../lib/errors.ts'
import type { EndedRun } from './case-of-run.ts'
import { noOutput } from './ended-execution.ts'

/** A response to a call that an agent run waited for: a decision, or the output of a tool of its client. */
export interface RecordedResponse {
  readonly kind: 'tool' | 'client-tool' | 'elicitation'
  readonly response: Readonly<Record<string, unknown>>
}

/** What a run was requested with besides its input. */
export interface RunRequest {
  readonly options: Readonly<Record<string, unknown>>
  /** Those to the calls of each suspension, in their order. */
  readonly responses: readonly (readonly RecordedResponse[])[]
}

/**
 * What the case of an agent run needs.
 *
 * @throws AppError `conflict` when it has not ended, or its input is not recorded.
 */
export function endedAgentRun(record: AgentRunRecord, { options, responses }: RunRequest): EndedRun {
  const { id, agentId, status, input, output, reason, finishReason, startTime, endTime, userId } = record
  if (endTime === null)
    throw new AppError(
      'conflict',
      `Run ${id} has not ended, and can't be kept as a case: its status is ${status}`,
    )
  if (input === null)
    throw new AppError(
      'conflict',
      `Run ${id} can't be kept as a case: a guardrail blocked its input, which is not recorded`,
    )
  const blocked = finishReason === 'guardrail' ? { blocked: reason } : undefined
  const hasOutput = status === 'completed' && (blocked !== undefined || output !== null)
  const hasClientTools = responses.flat().some(({ kind }) => kind === 'client-tool')
  return {
    target: { agent: agentId },
    id,
    input,
    options: { ...(userId !== null && { userId }), ...options },
    resume: responses.map((round) => decisionsOf(round)),
    ...(hasOutput && { output: blocked ?? output }),
    from: { runId: id, at: startTime },
    startedAt: Date.parse(startTime),
    endedAt: Date.parse(endTime),
    hints: [
      ...(hasOutput ? [] : [noOutput(howEnded(status))]),
      ...(record.conversationId === null
        ? []
        : ['The run belongs to a conversation: its case begins without the earlier messages']),
      ...(hasClientTools ? ['The run called tools of its client, which a case does not have'] : []),
    ],
  }
}

function howEnded(status: AgentRunRecord['status']): string {
  if (status === 'completed') return 'gave an output that was too large to be recorded'
  return status === 'error' ? 'failed' : 'was aborted'
}

/** One decision stands for all calls of a suspension. */
function decisionsOf(round: readonly RecordedResponse[]): unknown {
  const decisions = round
    .filter(({ kind }) => kind !== 'client-tool')
    .map(({ response: { approvalId: _, ...decision } }) => decision)
  return decisions.length === 1 ? decisions[0] : decisions
}
