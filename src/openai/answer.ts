import type { AnswerFormat } from '../agent/answer/formats/answer-format.ts'
import type { Generated } from '../agent/answer/generated.ts'
import type { ToolApproval, Usage } from '../contract/agent-event.ts'
import type { AgentRunRecord, AgentStep } from '../contract/endpoints/agent.ts'
import type { ExecutionResult } from '../contract/event.ts'
import type { StepWait } from '../contract/step-wait.ts'
import { INTERRUPTED_MESSAGE } from '../engine/agents/agents.ts'
import type { Agents } from '../engine/agents/agents.ts'
import type { ClientCall } from '../engine/agents/agent-call.ts'
import { FAILED_MESSAGE } from '../engine/agents/send-answer.ts'
import { delay } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { invalidMember } from './question.ts'

/** A call of a tool that the client executes. */
export interface ReturnedCall {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly args: string
}

/** What an answer waits for. */
export interface AnswerWaits {
  readonly approvals?: readonly ToolApproval[]
  readonly waits?: readonly StepWait[]
  readonly suspension?: ExecutionResult['suspension']
}

/** How an answer ended. */
export type ShownEnd =
  | {
      readonly kind: 'completed'
      /** Of each model call that answered with text. */
      readonly texts: readonly string[]
      readonly calls: readonly ReturnedCall[]
      readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls'
      readonly usage: Usage | undefined
    }
  /** Blocked by a guardrail. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly usage: Usage | undefined }
  | { readonly kind: 'waiting'; readonly waiting: AnswerWaits; readonly usage: Usage | undefined }
  | { readonly kind: 'failed'; readonly message: string; readonly error?: AppError | undefined }
  | { readonly kind: 'cancelled' }

/** The stream of an answer. `step` counts its model calls. */
export type StreamedPart =
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'text'; readonly text: string; readonly step: number }
  | { readonly type: 'ended'; readonly end: ShownEnd }

/** An object is the text of the last model call: the text beside calls of the agent's tools is not part of it. */
export const openaiFormat: AnswerFormat<StreamedPart> = {
  async *read(stream, { id }) {
    yield { type: 'started', id }
    const isHeld = stream.answerSchema !== undefined && stream.live !== undefined
    let step = 0
    let held = ''
    for await (const part of stream.parts()) {
      if (part.type === 'error') return
      if (part.type === 'start-step') {
        step++
        held = ''
      }
      if (part.type === 'text-delta' && part.text !== '') {
        if (isHeld) held += part.text
        else yield { type: 'text', text: part.text, step }
      }
      if (part.type === 'finish-step' && held !== '' && part.finishReason !== 'tool-calls')
        yield { type: 'text', text: held, step }
    }
  },
  finished: (generated) => ({ type: 'ended', end: endOf(generated) }),
  failed: (message, error) => ({
    type: 'ended',
    end: { kind: 'failed', message, error: error instanceof AppError ? error : undefined },
  }),
  aborted: () => ({ type: 'ended', end: { kind: 'cancelled' } }),
}

function endOf(generated: Generated): ShownEnd {
  const { reason, pending, usage, text, object, finishReason } = generated
  if (reason !== undefined) return { kind: 'blocked', reason, usage }
  if (pending) {
    const { approvals, waits = [] } = pending
    return { kind: 'waiting', waiting: { approvals, waits }, usage }
  }
  const steps = generated.steps as readonly AgentStep[]
  return completed({ steps, object: object === undefined ? undefined : text, finishReason, usage })
}

/** How a recorded answer ended; `undefined` while it is in progress. */
export function recordedEnd(record: AgentRunRecord): ShownEnd | undefined {
  const { status, reason, output, steps, error, approvals = [], waits = [], finishReason = 'stop' } = record
  const usage = record.usage ?? undefined
  if (reason !== undefined) return { kind: 'blocked', reason, usage }
  switch (status) {
    case 'running':
      return undefined
    case 'suspended':
      return { kind: 'waiting', waiting: { approvals, waits }, usage }
    case 'error':
      // the error in the record may be internal
      return { kind: 'failed', message: error === INTERRUPTED_MESSAGE ? error : FAILED_MESSAGE }
    case 'aborted':
      return { kind: 'cancelled' }
    case 'completed': {
      const object = typeof output === 'string' ? undefined : JSON.stringify(output)
      // steps that were too large are not recorded
      const text = typeof output === 'string' && steps.length === 0 ? output : object
      return completed({ steps, object: text, finishReason, usage })
    }
  }
}

interface Completed {
  readonly steps: readonly AgentStep[]
  /** The text of an answer with a schema. */
  readonly object: string | undefined
  readonly finishReason: string
  readonly usage: Usage | undefined
}

function completed({ steps, object, finishReason, usage }: Completed): ShownEnd {
  const texts = object === undefined ? steps.map(({ text }) => text) : [object]
  const { toolCalls = [], toolResults = [] } = steps.at(-1) ?? {}
  const done = new Set(toolResults.map(({ toolCallId }) => toolCallId))
  const calls = toolCalls
    .filter(({ toolCallId }) => !done.has(toolCallId))
    .map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      args: JSON.stringify(input ?? {}),
    }))
  return {
    kind: 'completed',
    texts: texts.filter((text) => text.trim() !== ''),
    calls,
    finish: calls.length > 0 ? 'tool_calls' : (FINISH[finishReason] ?? 'stop'),
    usage,
  }
}

const FINISH: Readonly<Record<string, 'length' | 'content_filter'>> = {
  length: 'length',
  'content-filter': 'content_filter',
}

/** What a client reads that shows nothing but messages. */
export function waitingText({ approvals = [], waits = [], suspension }: AnswerWaits, id: string): string {
  const asked = [
    ...approvals.map(({ toolName, input, message, approvalId }) => {
      const what = message ?? `${toolName}(${JSON.stringify(input)})`
      return `approval of ${what} (approval ${approvalId})`
    }),
    ...waits.map(({ path, reason }) => `${path}: ${reason}`),
    ...(suspension ? [`${suspension.stepId}: ${suspension.reason}`] : []),
  ]
  return `Waiting for ${asked.join('; ')}. Execution: ${id}`
}

/** An answer of which the first part is known. */
export interface StartedStream {
  readonly id: string
  readonly parts: AsyncGenerator<StreamedPart>
}

/**
 * Starts an answer.
 *
 * @throws AppError as the agent before it answers.
 */
export async function openAnswer(agents: Agents, agentId: string, call: ClientCall): Promise<StartedStream> {
  const parts = await agents.stream(agentId, call, openaiFormat)
  const first = await parts.next()
  if (first.done === true || first.value.type !== 'started')
    throw new AppError('unavailable', 'The answer was aborted before it started')
  return { id: first.value.id, parts }
}

/** Budgets, keys and models are checked by then; a model that thinks longer gets its stream opened. */
const EARLY_MS = 3000

/**
 * The parts of an answer that continues, or has failed at once: then the response has the status of the error.
 *
 * @throws AppError
 */
export async function withEarlyError({ parts }: StartedStream): Promise<AsyncGenerator<StreamedPart>> {
  const next = parts.next()
  const timer = new AbortController()
  const late = delay(EARLY_MS, timer.signal).then(
    () => undefined,
    () => undefined,
  )
  const early = await Promise.race([next, late]).finally(() => timer.abort())
  if (early && early.done !== true && early.value.type === 'ended' && early.value.end.kind === 'failed')
    throw endError(early.value.end)
  return continued(next, parts)
}

async function* continued(
  next: Promise<IteratorResult<StreamedPart>>,
  parts: AsyncGenerator<StreamedPart>,
): AsyncGenerator<StreamedPart> {
  try {
    const { done, value } = await next
    if (done !== true) yield value
    yield* parts
  } finally {
    await parts.return(undefined)
  }
}

/** The error of an answer that has ended without a result. */
export function endError(end: Extract<ShownEnd, { kind: 'failed' | 'cancelled' }>): AppError {
  if (end.kind === 'cancelled') return new AppError('unavailable', 'The answer was cancelled')
  return end.error ?? new AppError('execution_failed', end.message)
}

/** The complete answer. Throws AppError when it has failed. */
export async function wholeAnswer(agents: Agents, agentId: string, call: ClientCall) {
  const { generated, run } = await agents.whole(agentId, call)
  return { id: run.id, end: endOf(generated) }
}

/**
 * The input of a workflow.
 *
 * @throws AppError `invalid_input` when the text is not JSON.
 */
export function workflowInput({ text, param }: { readonly text: string; readonly param: string }): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalidMember(param, 'Must be the input of the workflow as JSON')
  }
}

/** How an execution ended, or what it waits for; `undefined` while it runs. */
export function executionEnd({
  status,
  result,
  suspension,
}: Pick<ExecutionResult, 'status' | 'result' | 'suspension'>): ShownEnd | undefined {
  switch (status) {
    case 'running':
      return undefined
    case 'suspended':
      return { kind: 'waiting', waiting: { suspension }, usage: undefined }
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'error':
      return { kind: 'failed', message: 'Workflow execution failed' }
    case 'completed': {
      const text = typeof result === 'string' ? result : JSON.stringify(result ?? null)
      return { kind: 'completed', texts: [text], calls: [], finish: 'stop', usage: undefined }
    }
  }
}

/** The stream of an execution, which is its end. */
export async function* workflowParts(result: () => Promise<ExecutionResult>): AsyncGenerator<StreamedPart> {
  yield { type: 'ended', end: executionEnd(await result()) ?? { kind: 'cancelled' } }
}
