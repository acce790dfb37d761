import type * as Ai from 'ai'
import type { FinishReason, UiMessageChunk } from '../../../contract/agent-event.ts'
import { AppError } from '../../../lib/errors.ts'
import type { SettledCall } from '../generated.ts'
import { Live } from '../live/live-parts.ts'
import { outcomeOf } from '../live/live-stream-part.ts'
import type { LivePart } from '../live/part-listener.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'
import type { PendingApproval } from '../waiting/pending-calls.ts'
import type { ToolCall } from '../waiting/tool-call.ts'
import { requestedObject, summaryOf } from './answer-format.ts'
import type { AnswerFormat } from './answer-format.ts'

/** The UI message stream of the AI SDK. The summary of the answer is in the metadata of the message. */
export function chatFormat(messages: readonly object[]): AnswerFormat<UiMessageChunk> {
  return {
    async *read(stream, run) {
      const originalMessages = messages as readonly Ai.UIMessage[]
      const onError = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong')
      const suspended: SuspendedCall[] = []
      let settled = 0
      const chunks = stream.chunks({ messageId: run.id, originalMessages, onError })
      const live = new LiveChunks(run.id)
      for await (const chunk of stream.live?.among(chunks, CALLS) ?? chunks) {
        if (chunk instanceof Live) {
          yield live.chunk(chunk.part)
          continue
        }
        if (chunk.type === 'error') return
        if (chunk.type === 'tool-output-available' && chunk.output instanceof SuspendedAnswer)
          suspended.push({ toolCallId: chunk.toolCallId, ...chunk.output.suspended })
        else if (chunk.type !== 'finish' && chunk.type !== 'abort') yield chunk
        for (; settled < stream.settled.length; settled++)
          yield settledChunk(stream.settled[settled] as SettledCall)
      }
      if (suspended.length > 0) yield* approvalRequests(suspended)
    },
    waiting: (waits, { id: runId }) =>
      waits.map((wait) => ({ type: 'data-wait', id: wait.path, data: { runId, ...wait } })),
    finished: (generated, run) => {
      const { finishReason, ...summary } = summaryOf(generated, run)
      const facts = { ...summary, ...requestedObject(generated) }
      const messageMetadata = finishReason === 'guardrail' ? { finishReason, ...facts } : facts
      return { type: 'finish', finishReason: toSdkReason(finishReason), messageMetadata }
    },
    failed: (errorText) => ({ type: 'error', errorText }),
    aborted: () => ({ type: 'abort' }),
  }
}

const CALLS = {
  begin: 'tool-input-available',
  ends: new Set(['tool-output-available', 'tool-output-error', 'tool-output-denied']),
}

/** The end of a call of a sub-agent, which the message has had since it waited. */
function settledChunk({ approvalId: toolCallId, isDenied, result }: SettledCall): Ai.UIMessageChunk {
  if (isDenied) return { type: 'tool-output-denied', toolCallId }
  if (result?.error !== undefined)
    return { type: 'tool-output-error', toolCallId, errorText: result.error, dynamic: true }
  return { type: 'tool-output-available', toolCallId, output: result?.output ?? null, dynamic: true }
}

/** The AI SDK refuses reasons that it does not know. */
function toSdkReason(reason: FinishReason): Ai.FinishReason {
  if (reason === 'guardrail') return 'content-filter'
  return reason === 'approval-required' || reason === 'suspended' ? 'tool-calls' : reason
}

interface SuspendedCall {
  readonly toolCallId: string
  readonly approvals: readonly PendingApproval[]
  readonly toolCalls: readonly ToolCall[]
}

/** What the calls of sub-agents and tools wait for, as a step of its own, so that clients show and answer it. */
export function* approvalRequests(suspended: readonly SuspendedCall[]): Generator<Ai.UIMessageChunk> {
  yield { type: 'start-step' }
  for (const { toolCallId: callId, approvals, toolCalls } of suspended) {
    for (const { approvalId, toolCallId: ownId, toolName, input, kind } of approvals) {
      // the message has the call of the agent's own tool, which requests a form
      const isShown = kind === 'elicitation' && ownId === callId
      // the model of a sub-agent may give its calls the ids of this agent's calls
      const toolCallId = isShown ? ownId : approvalId
      if (!isShown) yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
      yield { type: 'tool-approval-request', approvalId, toolCallId }
    }
    for (const { toolCallId, toolName, input } of toolCalls)
      yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
  }
  yield { type: 'finish-step' }
}

/** Makes chunks of live parts. Those of sub-agents are data parts: a call and its result are one, found by its id. */
class LiveChunks {
  readonly #runId: string
  /** The inputs of the calls that have not ended, by the ids of their parts. */
  readonly #inputs = new Map<string, unknown>()

  constructor(runId: string) {
    this.#runId = runId
  }

  chunk(part: LivePart): UiMessageChunk {
    const { agentId, runId } = part
    switch (part.kind) {
      case 'text': {
        const data = { agentId, runId, id: part.id, text: part.text }
        return { type: 'data-agent-delta', data, transient: true }
      }
      case 'report': {
        const { type, data, id, transient } = part
        return {
          type,
          data: JSON.parse(data) as unknown,
          ...(id !== undefined && { id }),
          ...(transient !== undefined && { transient }),
        }
      }
      case 'call':
      case 'result':
        return this.#call(part)
    }
  }

  #call(part: Extract<LivePart, { kind: 'call' | 'result' }>): UiMessageChunk {
    const { agentId, runId, toolCallId, toolName } = part
    if (part.kind === 'result' && runId === this.#runId)
      return { type: 'tool-output-available', toolCallId, ...outcomeOf(part) }
    const id = `${runId}:${toolCallId}`
    const call = { agentId, runId, toolCallId, toolName }
    if (part.kind === 'call') {
      const input = JSON.parse(part.input) as unknown
      this.#inputs.set(id, input)
      return { type: 'data-agent-tool', id, data: { ...call, state: 'call', input } }
    }
    const input = this.#inputs.get(id) ?? null
    if (!part.isPreliminary) this.#inputs.delete(id)
    const state = part.error === undefined ? 'result' : 'error'
    return { type: 'data-agent-tool', id, data: { ...call, state, input, ...outcomeOf(part) } }
  }
}
