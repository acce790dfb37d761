import type { ModelMessage } from 'ai'
import type { AgentInput } from '../../agent/per-request.ts'
import { clientCallId } from '../../agent/answer/waiting/pending-calls.ts'
import type { RetrievedDocument } from '../../agent/retriever.ts'
import type { ClientAdditions } from '../../agent/client-additions.ts'
import type { PendingCalls, Waits } from '../../agent/answer/waiting/pending-calls.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { WaitingAnswer } from '../../agent/answer/waiting/resumed-answer.ts'
import type { User } from '../../contract/auth.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'
import { AppError } from '../../lib/errors.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { NewApproval } from '../../store/agents/agent-approvals.ts'
import type { AskedOptions, Delivery } from './agent-call.ts'
import type { ReceivedMessages } from './agent-memory.ts'

/** What a run that waits needs to continue, on any machine and after any restart. JSON. */
export interface Continuation {
  readonly prompt: string
  /** The messages that were sent to the model at first. */
  readonly sent: readonly ModelMessage[]
  /** The conversation that is extended when the run ends. */
  readonly runningMessages: ReceivedMessages | null
  /** The caller's schema; steps bring theirs again. */
  readonly schema: JsonSchema | null
  readonly options: AskedOptions
  readonly user: User | null
  readonly waits: Waits
  /** How the answer is returned, if it survives its client. */
  readonly delivery: Delivery | null
  /** Replaces the instructions of the agent, in a replay. */
  readonly instructions?: string
  /** What the client added to the agent. */
  readonly client?: ClientAdditions
  /** What the agent's retriever has found. */
  readonly documents?: readonly RetrievedDocument[]
  /** The span of the run, below which it continues. */
  readonly span: SpanIds | null
  readonly waiting: WaitingAnswer
}

/** What a run needs to continue after a crash: it waits, or does not. */
export type StoredContinuation = AnswerFacts &
  Partial<Pick<Continuation, 'waiting'>> & {
    /** Set when a tool of it waits, or its step is tried again: how many recorded answers of its model are counted. */
    readonly counted?: number
  }

/** The part of a continuation that is known when a run starts. */
export type AnswerFacts = Omit<Continuation, 'waiting'>

/** Whether a run answers as the routes for objects do: not as those for text, whose object is one of the members. */
export function answersObject({ schema, options }: Pick<AnswerFacts, 'schema' | 'options'>): boolean {
  return schema !== null && options.output === undefined
}

/**
 * @param limit the maximum size of what is stored, in bytes
 * @throws AppError `execution_failed` when it is larger.
 */
export function continuationText(continuation: StoredContinuation, limit: number): string {
  const text = JSON.stringify(continuation)
  if (Buffer.byteLength(text) <= limit) return text
  throw new AppError('execution_failed', 'The run is too large to wait for responses')
}

/** What the functions among an agent's options get. */
export function agentInput({
  prompt,
  options,
  user,
}: Pick<AnswerFacts, 'prompt' | 'options' | 'user'>): AgentInput {
  const { context = {}, conversationId } = options
  return { user: user ?? undefined, context, conversationId, input: prompt }
}

/** The part of an answer that is needed to continue with it. */
export function waitingAnswer({ steps, usage, messages, pending }: Generated): WaitingAnswer | undefined {
  return pending && { steps, usage, messages: messages as readonly ModelMessage[], pending }
}

/** The answer of a run that still waits. */
export function pendingAnswer(
  {
    row: { model },
    continuation: { waiting },
  }: { row: Pick<AgentRunRow, 'model'>; continuation: Continuation },
  pending: PendingCalls,
): Generated {
  const { steps, usage, messages } = waiting
  const [provider = '', ...modelId] = model.split('/')
  return {
    text: '',
    reasoning: undefined,
    object: undefined,
    usage,
    finishReason: pending.approvals.length > 0 ? 'approval-required' : 'tool-calls',
    model: { provider, modelId: modelId.join('/'), origin: 'agent' },
    steps,
    messages,
    pending,
  }
}

/** The entries of the calls that a run waits for. Those of a sub-agent's run are of the run that the caller started. */
export function approvalsOf(runId: string, { approvals, toolCalls }: PendingCalls): NewApproval[] {
  return [
    ...approvals.map(
      ({ approvalId, toolCallId, toolName, input, kind = 'tool' as const, message, schema }) => ({
        id: approvalId,
        kind,
        toolCallId,
        toolName,
        input: jsonOf(kind === 'elicitation' ? { message, schema } : input),
      }),
    ),
    ...toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: clientCallId(runId, toolCallId),
      kind: 'client-tool' as const,
      toolCallId,
      toolName,
      input: jsonOf(input),
    })),
  ]
}

function jsonOf(input: unknown): string {
  return JSON.stringify(input) ?? 'null'
}
