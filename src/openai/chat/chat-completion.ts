import type { ChatCompletionBody } from '../../contract/endpoints/openai.ts'
import type { Usage } from '../../contract/agent-event.ts'
import { AppError } from '../../lib/errors.ts'
import {
  executionEnd,
  endError,
  openAnswer,
  waitingText,
  wholeAnswer,
  withEarlyError,
  workflowInput,
  workflowParts,
} from '../answer.ts'
import type { ShownEnd, ReturnedCall, StreamedPart } from '../answer.ts'
import { openaiError } from '../error.ts'
import { executionHeader } from '../exchange.ts'
import type { OpenaiExchange, OpenaiReply, StreamMessage } from '../exchange.ts'
import { requireModel } from '../models.ts'
import { callOf } from '../question.ts'
import { chatQuestion, lastText } from './chat-question.ts'

/** The members that all chunks of a completion, and the completion itself, have. */
interface CompletionHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

/**
 * Answers `POST /v1/chat/completions`.
 *
 * @throws AppError of requests that are not valid, and of answers that fail.
 */
export async function completeChat(body: ChatCompletionBody, exchange: OpenaiExchange): Promise<OpenaiReply> {
  const { target } = await requireModel(body.model, exchange)
  if (target.kind === 'workflow') return completeByWorkflow(target.id, body, exchange)
  const { engine, signal } = exchange
  const call = { ...callOf(chatQuestion(body), exchange), signal }
  if (body.stream !== true) {
    const { id, end } = await wholeAnswer(engine.agents, target.id, call)
    return whole(headOf(id, body, exchange), { id, end })
  }
  const opened = await openAnswer(engine.agents, target.id, call)
  return streamed(opened.id, await withEarlyError(opened), { body, exchange })
}

async function completeByWorkflow(
  workflowId: string,
  body: ChatCompletionBody,
  exchange: OpenaiExchange,
): Promise<OpenaiReply> {
  const { engine, user, trace, hasUsers } = exchange
  const input = workflowInput(lastText(body))
  const userId = hasUsers ? undefined : (body.user ?? undefined)
  const started = await engine.executions.execute(workflowId, input, { user, userId, trace })
  const { executionId: id } = started
  if (body.stream !== true) {
    const end = executionEnd(await started.result())
    if (!end || end.kind === 'failed' || end.kind === 'cancelled')
      throw endError(end ?? { kind: 'cancelled' })
    return whole(headOf(id, body, exchange), { id, end })
  }
  await started.stored()
  return streamed(id, workflowParts(started.result), { body, exchange })
}

function headOf(id: string, { model }: ChatCompletionBody, { now }: OpenaiExchange): CompletionHead {
  return { id: `chatcmpl-${id}`, created: Math.floor(now() / 1000), model }
}

type Shown = Exclude<ShownEnd, { kind: 'failed' | 'cancelled' }>

function whole(
  head: CompletionHead,
  { id, end }: { readonly id: string; readonly end: ShownEnd },
): OpenaiReply {
  if (end.kind === 'failed' || end.kind === 'cancelled') throw endError(end)
  const { content, refusal, calls, finish } = shownEnd(end, id)
  const message = {
    role: 'assistant',
    content,
    refusal,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call)) }),
  }
  const body = {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(end.usage && { usage: completionUsage(end.usage) }),
  }
  return { kind: 'json', body, headers: executionHeader(id) }
}

/** What is shown of an answer at its end. */
function shownEnd(end: Shown, id: string) {
  switch (end.kind) {
    case 'completed': {
      const { texts, calls, finish } = end
      const content = texts.length === 0 ? (calls.length > 0 ? null : '') : texts.join(STEP_BREAK)
      return { content, refusal: null, calls, finish }
    }
    case 'blocked':
      return { content: null, refusal: end.reason, calls: [], finish: 'content_filter' }
    case 'waiting':
      return { content: waitingText(end.waiting, id), refusal: null, calls: [], finish: 'stop' }
  }
}

/** Between the texts before and after calls of the agent's own tools. */
const STEP_BREAK = '\n\n'

function toolCall({ id, name, args }: ReturnedCall) {
  return { id, type: 'function', function: { name, arguments: args } }
}

function completionUsage(usage: Usage) {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = usage
  return {
    prompt_tokens: inputTokens ?? 0,
    completion_tokens: outputTokens ?? 0,
    total_tokens: totalTokens ?? 0,
    prompt_tokens_details: { cached_tokens: cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
  }
}

interface Streaming {
  readonly body: ChatCompletionBody
  readonly exchange: OpenaiExchange
}

function streamed(
  id: string,
  parts: AsyncGenerator<StreamedPart>,
  { body, exchange }: Streaming,
): OpenaiReply {
  const head = headOf(id, body, exchange)
  const withUsage = body.stream_options?.include_usage === true
  return { kind: 'stream', events: chunks(parts, { id, head, withUsage }), headers: executionHeader(id) }
}

interface Chunking {
  readonly id: string
  readonly head: CompletionHead
  readonly withUsage: boolean
}

/** The chunks of a completion. One that breaks ends with an error, and without `[DONE]`. */
async function* chunks(
  parts: AsyncGenerator<StreamedPart>,
  { id, head, withUsage }: Chunking,
): AsyncGenerator<StreamMessage> {
  const chunk = (choices: readonly object[], usage: object | null = null): StreamMessage => ({
    data: JSON.stringify({
      ...head,
      object: 'chat.completion.chunk',
      choices,
      ...(withUsage && { usage }),
    }),
  })
  const delta = (value: object, finish: string | null = null) =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason: finish }])
  try {
    yield delta({ role: 'assistant', content: '', refusal: null })
    let step: number | undefined
    for await (const part of parts) {
      if (part.type === 'started') continue
      if (part.type === 'text') {
        const isNext = step !== undefined && part.step !== step
        step = part.step
        yield delta({ content: isNext ? STEP_BREAK + part.text : part.text })
        continue
      }
      const { end } = part
      if (end.kind === 'failed' || end.kind === 'cancelled') throw endError(end)
      const { content, refusal, calls, finish } = shownEnd(end, id)
      if (refusal !== null) yield delta({ refusal })
      // what was streamed is not repeated
      else if (content !== null && content !== '' && (step === undefined || end.kind === 'waiting'))
        yield delta({ content: step === undefined ? content : STEP_BREAK + content })
      if (calls.length > 0)
        yield delta({ tool_calls: calls.map((call, index) => ({ index, ...toolCall(call) })) })
      yield delta({}, finish)
      if (withUsage && end.usage) yield chunk([], completionUsage(end.usage))
      yield { data: '[DONE]' }
    }
  } catch (error) {
    yield { data: JSON.stringify(brokenStream(error)) }
  } finally {
    await parts.return(undefined)
  }
}

/** The error that ends a stream. */
function brokenStream(error: unknown) {
  const known = error instanceof AppError ? error : undefined
  return openaiError(known, known?.message ?? 'The answer has failed')
}
