import type { AnswerIds } from '../../agent/answer/formats/answer-format.ts'
import { requestedObject, summaryOf } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { AgentAnswer, AgentObject, AgentRunRecord, AgentStep } from '../../contract/endpoints/agent.ts'
import { toIso } from '../../lib/clock.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import { decodeStored } from '../record/values.ts'

/** The response to a request for text. */
export function textAnswer(generated: Generated, run: AnswerIds): AgentAnswer {
  const { text, reasoning } = generated
  const steps = [...generated.steps] as AgentStep[]
  return {
    ...summaryOf(generated, run),
    text,
    ...(reasoning !== undefined && { reasoning }),
    toolCalls: steps.flatMap(({ toolCalls }) => toolCalls),
    toolResults: steps.flatMap(({ toolResults }) => toolResults),
    steps,
    ...requestedObject(generated),
  }
}

/** The answer without its contents, for a second person who has approved a call and must not read it. */
export function unreadAnswer(generated: Generated, run: AnswerIds): AgentAnswer {
  const { pending: _, ...summary } = generated
  return { ...summaryOf(summary, run), text: '', toolCalls: [], toolResults: [], steps: [] }
}

/** The response to a request for an object. */
export function objectAnswer(generated: Generated, run: AnswerIds): AgentObject {
  return { ...summaryOf(generated, run), object: generated.object ?? null }
}

/** A run as the API's history returns it. */
export function agentRunRecord(row: AgentRunRow): AgentRunRecord {
  const { id, agentId, status, model, userId, conversationId, traceId, error } = row
  return {
    id,
    agentId,
    input: decodeStored(row.input, null),
    output: row.output === null ? null : decodeStored(row.output, null),
    status,
    ...finishOf(row),
    ...(error !== null && { error }),
    usage: row.usage === null ? null : withCost(decodeStored<Usage | null>(row.usage, null)),
    model,
    startTime: toIso(row.startedAt),
    endTime: row.endedAt === null ? null : toIso(row.endedAt),
    userId,
    conversationId,
    traceId,
    ...forkOf(row),
    ...(row.requester === 'lab' && { trial: true as const }),
    steps: row.steps === null ? [] : decodeStored<AgentStep[]>(row.steps, []).map(withStepCost),
  }
}

/** The run that a run is a replay of. */
function forkOf({ options }: AgentRunRow): Pick<AgentRunRecord, 'forkedFrom'> {
  const { forkedFrom } = decodeStored<Pick<AgentRunRecord, 'forkedFrom'>>(options ?? '{}', {})
  return forkedFrom === undefined ? {} : { forkedFrom }
}

function finishOf({
  status,
  blockedReason,
  steps,
}: AgentRunRow): Pick<AgentRunRecord, 'finishReason' | 'reason'> {
  if (blockedReason !== null) return { finishReason: 'guardrail', reason: blockedReason }
  if (status !== 'completed' || steps === null) return {}
  const last = decodeStored<AgentStep[]>(steps, []).at(-1)
  return last ? { finishReason: last.finishReason } : {}
}

/** Runs that were recorded before there were prices have no cost. */
function withCost<T extends Usage | null>(usage: T): T {
  return usage && { ...usage, costUsd: (usage as Partial<Usage>).costUsd ?? null }
}

function withStepCost(step: AgentStep): AgentStep {
  return { ...step, usage: withCost(step.usage) }
}
