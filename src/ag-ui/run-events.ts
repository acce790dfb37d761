import type { AgentStreamPart, ToolApproval } from '../contract/agent-event.ts'
import type { StepWait } from '../contract/step-wait.ts'
import type { AppError } from '../lib/errors.ts'
import type { RunAgentInput } from './run-input.ts'

/** An event of the protocol. */
export interface AgUiEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** The last part of a stream, with the calls of tools of the front end that the answer waits for. */
type FinishPart = Extract<AgentStreamPart, { type: 'finish' }> & {
  readonly pendingCalls?: readonly PendingCall[]
}

interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** The begin of the id of the interrupt of a tool that waits in its middle. The run and the path of the wait follow. */
const WAIT = 'wait:'

/** The run and the step that the id of an interrupt names; `undefined` for that of an approval. */
export function waitIn(interruptId: string): { runId: string; stepId: string } | undefined {
  const [, runId, stepId] = /^wait:([^:]+):(.+)$/s.exec(interruptId) ?? []
  return runId === undefined || stepId === undefined ? undefined : { runId, stepId }
}

/** The event for a request that failed. */
export function runError(error: AppError): AgUiEvent {
  return { type: 'RUN_ERROR', message: error.message, code: error.code }
}

/** The parts of an answer as events of the protocol. `parts` is undefined for a run that was cancelled. */
export async function* runEvents(
  { threadId, runId, parentRunId, state }: RunAgentInput,
  parts: AsyncIterable<AgentStreamPart> | undefined,
): AsyncGenerator<AgUiEvent> {
  yield { type: 'RUN_STARTED', threadId, runId, ...(parentRunId !== undefined && { parentRunId }) }
  if (hasContent(state)) yield { type: 'STATE_SNAPSHOT', snapshot: state as unknown }
  const events = new RunEvents({ threadId, runId })
  if (parts) for await (const part of parts) yield* events.of(part)
  else yield* events.of({ type: 'abort' })
}

/** Front ends without a state send an empty one. */
function hasContent(state: unknown): boolean {
  if (typeof state !== 'object' || state === null) return state !== undefined && state !== null
  return Object.keys(state).length > 0
}

class RunEvents {
  readonly #run: { readonly threadId: string; readonly runId: string }
  #count = 0
  /** The message of the current call of the model: its text, to which its tool calls belong. */
  #message = ''
  #hasText = false
  #isTextOpen = false
  #reasoning: string | undefined
  /** The calls whose arguments are not complete. */
  readonly #open = new Set<string>()
  /** The calls without a result. */
  readonly #unanswered = new Set<string>()

  constructor(run: { readonly threadId: string; readonly runId: string }) {
    this.#run = run
    this.#message = this.#newId()
  }

  *of(part: AgentStreamPart): Generator<AgUiEvent> {
    switch (part.type) {
      case 'start-step':
        yield* this.#close()
        this.#message = this.#newId()
        this.#hasText = false
        return
      case 'text-delta':
        return yield* this.#text(part.text)
      case 'text-end':
        return yield* this.#endText()
      case 'reasoning-delta':
        return yield* this.#reason(part.text)
      case 'reasoning-end':
        return yield* this.#endReasoning()
      case 'tool-input-start':
        return yield* this.#startCall(part.id, part.toolName)
      case 'tool-input-delta':
        if (this.#open.has(part.id)) yield { type: 'TOOL_CALL_ARGS', toolCallId: part.id, delta: part.delta }
        return
      case 'tool-call':
        return yield* this.#call(part)
      case 'tool-result':
        if (part.preliminary !== true) yield this.#result(part.toolCallId, part.output)
        return
      case 'tool-error':
        return yield this.#result(part.toolCallId, part.error)
      case 'tool-output-denied':
        return yield this.#result(part.toolCallId, 'The call was not approved')
      case 'finish':
        return yield* this.#finish(part)
      case 'error':
        return yield { type: 'RUN_ERROR', message: String(part['error']), code: 'execution_failed' }
      case 'abort':
        yield* this.#close()
        return yield { type: 'RUN_FINISHED', ...this.#run, outcome: { type: 'cancelled' } }
      default:
        if (part.type === 'data-state') yield { type: 'STATE_SNAPSHOT', snapshot: part['data'] ?? null }
        else if (part.type.startsWith('data-'))
          yield { type: 'CUSTOM', name: part.type, value: { id: part['id'], data: part['data'] ?? null } }
    }
  }

  #newId(): string {
    return `${this.#run.runId}:${++this.#count}`
  }

  *#text(delta: string): Generator<AgUiEvent> {
    if (delta === '') return
    if (!this.#isTextOpen) {
      // a further text of the same call is a message of its own
      if (this.#hasText) this.#message = this.#newId()
      this.#isTextOpen = true
      this.#hasText = true
      yield { type: 'TEXT_MESSAGE_START', messageId: this.#message, role: 'assistant' }
    }
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: this.#message, delta }
  }

  *#endText(): Generator<AgUiEvent> {
    if (!this.#isTextOpen) return
    this.#isTextOpen = false
    yield { type: 'TEXT_MESSAGE_END', messageId: this.#message }
  }

  *#reason(delta: string): Generator<AgUiEvent> {
    if (delta === '') return
    if (this.#reasoning === undefined) {
      const messageId = (this.#reasoning = this.#newId())
      yield { type: 'REASONING_START', messageId }
      yield { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }
    }
    yield { type: 'REASONING_MESSAGE_CONTENT', messageId: this.#reasoning, delta }
  }

  *#endReasoning(): Generator<AgUiEvent> {
    const messageId = this.#reasoning
    if (messageId === undefined) return
    this.#reasoning = undefined
    yield { type: 'REASONING_MESSAGE_END', messageId }
    yield { type: 'REASONING_END', messageId }
  }

  *#startCall(toolCallId: string, toolCallName: string): Generator<AgUiEvent> {
    if (this.#unanswered.has(toolCallId)) return
    this.#open.add(toolCallId)
    this.#unanswered.add(toolCallId)
    // a call without a text before it begins its message
    this.#hasText = true
    yield { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: this.#message }
  }

  *#call({ toolCallId, toolName, input }: PendingCall): Generator<AgUiEvent> {
    if (!this.#unanswered.has(toolCallId)) {
      yield* this.#startCall(toolCallId, toolName)
      yield { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input ?? {}) }
    }
    if (this.#open.delete(toolCallId)) yield { type: 'TOOL_CALL_END', toolCallId }
  }

  #result(toolCallId: string, output: unknown): AgUiEvent {
    this.#unanswered.delete(toolCallId)
    const content = typeof output === 'string' ? output : JSON.stringify(output ?? null)
    return { type: 'TOOL_CALL_RESULT', messageId: this.#newId(), toolCallId, content, role: 'tool' }
  }

  /** Ends what is open. */
  *#close(): Generator<AgUiEvent> {
    yield* this.#endText()
    yield* this.#endReasoning()
    for (const toolCallId of this.#open) yield { type: 'TOOL_CALL_END', toolCallId }
    this.#open.clear()
  }

  *#finish(part: FinishPart): Generator<AgUiEvent> {
    const {
      id,
      traceId,
      finishReason,
      reason,
      approvals = [],
      waits = [],
      pendingCalls = [],
      usage,
      model,
    } = part
    for (const call of pendingCalls) yield* this.#call(call)
    yield* this.#close()
    if (finishReason === 'guardrail')
      return yield { type: 'RUN_ERROR', message: reason ?? 'The answer was blocked', code: 'guardrail' }
    const interrupts = [
      ...approvals.map((approval) => approvalInterrupt(approval)),
      ...waits.map((wait) => waitInterrupt(id, wait)),
    ]
    const pendingToolCallIds = [...this.#unanswered]
    yield {
      type: 'RUN_FINISHED',
      ...this.#run,
      outcome:
        interrupts.length > 0
          ? { type: 'interrupt', interrupts }
          : { type: 'success', ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) },
      usage: [tokenUsage(model, usage)],
      metadata: { agentRunId: id, traceId, finishReason, costUsd: usage.costUsd },
    }
  }
}

function approvalInterrupt(approval: ToolApproval): object {
  const { approvalId, toolName, toolCallId, agentId, input, kind, message, schema } = approval
  const isForm = kind === 'elicitation'
  return {
    id: approvalId,
    reason: isForm ? 'input_required' : 'tool_call',
    message: message ?? `Approve the call of ${toolName}?`,
    toolCallId,
    responseSchema: {
      type: 'object',
      properties: {
        approved: {
          type: 'boolean',
          description: isForm ? 'Whether the form is sent' : 'Whether the tool is called',
        },
        reason: { type: 'string', description: 'Of a denial, for the model' },
        input: isForm ? (schema ?? {}) : { description: 'Edited arguments' },
      },
      required: ['approved'],
    },
    metadata: { toolName, agentId, input: input ?? null },
  }
}

function waitInterrupt(runId: string, wait: StepWait): object {
  const { path, reason, resumeSchema } = wait
  return {
    id: `${WAIT}${runId}:${path}`,
    reason: 'input_required',
    message: reason,
    ...(resumeSchema && { responseSchema: resumeSchema }),
    metadata: { ...wait },
  }
}

function tokenUsage(model: string, usage: FinishPart['usage']): object {
  const [provider, ...name] = model.split('/')
  const counts = Object.entries(usage).filter(([key, count]) => key !== 'costUsd' && count !== null)
  return { provider, model: name.join('/'), ...Object.fromEntries(counts) }
}
