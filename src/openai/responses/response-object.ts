import type { ClientAdditions } from '../../agent/client-additions.ts'
import type { ResponseBody } from '../../contract/endpoints/openai.ts'
import type { Usage } from '../../contract/agent-event.ts'
import { waitingText } from '../answer.ts'
import type { ShownEnd } from '../answer.ts'

/** What is recorded of a response beside its answer. JSON. */
export interface ResponseMark {
  readonly model: string
  readonly previous?: string | undefined
  readonly background?: boolean | undefined
  /** Members of the request that the response repeats. */
  readonly echo: Readonly<Record<string, unknown>>
}

const ECHOED = [
  'instructions',
  'temperature',
  'top_p',
  'max_output_tokens',
  'metadata',
  'tool_choice',
  'text',
] as const

/** @param previous the id of the response before it */
export function markOf(body: ResponseBody, previous: string | undefined): ResponseMark {
  const { model, background } = body
  const echo = ECHOED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]))
  return {
    model,
    ...(previous !== undefined && { previous }),
    ...(background === true && { background }),
    echo: Object.fromEntries(echo),
  }
}

const PREFIX = 'resp_'

export function responseId(id: string): string {
  return PREFIX + id
}

/** The id of the run or the execution; of another text, the text. */
export function recordId(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id
}

export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

/** The ids of items name the record, in which they are found again. */
const ITEM = /^(?:msg|fc)_([A-Za-z0-9][A-Za-z0-9._:-]{0,127})_\d+$/

/** The id of the record that an item belongs to; `undefined` for another text. */
export function recordOfItem(itemId: string): string | undefined {
  return ITEM.exec(itemId)?.[1]
}

export function messageItem(itemId: string, content: object, status = 'completed'): OutputItem {
  return { id: itemId, type: 'message', role: 'assistant', status, content: [content] }
}

export function outputText(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

export function callItem(
  itemId: string,
  { id, name, args }: { readonly id: string; readonly name: string; readonly args: string },
  status = 'completed',
): OutputItem {
  return { id: itemId, type: 'function_call', call_id: id, name, arguments: args, status }
}

/** What is shown of an answer: texts, then a refusal or calls. */
export function outputOf(end: ShownEnd | undefined, id: string): OutputItem[] {
  switch (end?.kind) {
    case 'completed':
      return [
        ...end.texts.map((text, index) => messageItem(`msg_${id}_${index}`, outputText(text))),
        ...end.calls.map((call, index) => callItem(`fc_${id}_${end.texts.length + index}`, call)),
      ]
    case 'blocked':
      return [messageItem(`msg_${id}_0`, { type: 'refusal', refusal: end.reason })]
    case 'waiting':
      return [messageItem(`msg_${id}_0`, outputText(waitingText(end.waiting, id)))]
    default:
      return []
  }
}

/** A response, of which the answer may be in progress. */
export interface ShownResponse {
  readonly id: string
  readonly createdAt: number
  readonly mark: ResponseMark
  readonly client: ClientAdditions
  readonly end: ShownEnd | undefined
  /** Default: that of the end. */
  readonly output?: readonly OutputItem[]
  readonly isStored?: boolean
}

/** A response as OpenAI's API has it. */
export function responseObject({ id, createdAt, mark, client, end, output, isStored = true }: ShownResponse) {
  const { model, previous, background = false, echo } = mark
  const usage = end && 'usage' in end ? end.usage : undefined
  return {
    id: responseId(id),
    object: 'response',
    created_at: Math.floor(createdAt / 1000),
    ...statusOf(end),
    background,
    model,
    output: output ?? outputOf(end, id),
    previous_response_id: previous === undefined ? null : responseId(previous),
    parallel_tool_calls: true,
    store: isStored,
    instructions: null,
    temperature: null,
    top_p: null,
    max_output_tokens: null,
    metadata: {},
    tool_choice: 'auto',
    text: { format: { type: 'text' } },
    tools: (client.tools ?? []).map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...echo,
    usage: usage ? responseUsage(usage) : null,
  }
}

function statusOf(end: ShownEnd | undefined) {
  const status = (value: string, incomplete: object | null = null, error: object | null = null) => ({
    status: value,
    error,
    incomplete_details: incomplete,
  })
  switch (end?.kind) {
    case undefined:
      return status('in_progress')
    case 'completed':
      if (end.finish === 'length') return status('incomplete', { reason: 'max_output_tokens' })
      if (end.finish === 'content_filter') return status('incomplete', { reason: 'content_filter' })
      return status('completed')
    case 'blocked':
      return status('incomplete', { reason: 'content_filter' })
    case 'waiting': {
      const { approvals = [], waits = [], suspension } = end.waiting
      const reason = approvals.length > 0 ? 'approval_required' : 'suspended'
      const details = { approvals, waits, ...(suspension && { suspension }) }
      return status('incomplete', { reason, ...details })
    }
    case 'failed':
      return status('failed', null, failed(end.message))
    case 'cancelled':
      return status('cancelled')
  }
}

/** The AI SDK requires the type. */
function failed(message: string) {
  return { code: 'server_error', type: 'server_error', message }
}

function responseUsage(usage: Usage) {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = usage
  return {
    input_tokens: inputTokens ?? 0,
    input_tokens_details: { cached_tokens: cachedInputTokens ?? 0 },
    output_tokens: outputTokens ?? 0,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: totalTokens ?? 0,
  }
}
