import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import type { TrialBody } from '../../../contract/endpoints/agents/lab.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { firstText, textOf as textIn } from '../agents/chat/session/chat-message.ts'
import { fromInput } from '../agents/chat/session/ui-messages.ts'
import type { ToolPart, Usage } from '../agents/chat/session/chat-message.ts'
import type { Trial } from './use-trial.ts'
import type { Settings } from '../../form/model-settings.tsx'
import { type MessagePart, readMessagesIn, readValue } from '../../trace/read-messages.ts'

export interface LabMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** What one column asks. */
export interface LabColumn {
  readonly key: number
  readonly instructions: string
  readonly messages: readonly LabMessage[]
  /** Names of tools; null: as the agent, whose tools a function returns. */
  readonly tools: readonly string[] | null
  /** Empty: as the agent. */
  readonly model: string
  readonly settings: Settings
}

/** Of the shape of kept drafts: older ones are dropped. */
export const VERSION = 1

export interface LabDraft {
  readonly version: typeof VERSION
  readonly columns: readonly LabColumn[]
  /** The results of the recorded calls. */
  readonly toolResults: NonNullable<TrialBody['toolResults']>
  readonly executeTools: boolean
}

export const MIN_COLUMNS = 2
export const MAX_COLUMNS = 4

/** The recorded call of a model with the spans of its trace, as two equal columns. */
export function draftOf(agent: AgentDetail, call: Span | undefined, spans: readonly Span[]): LabDraft {
  const attributes = call?.attributes ?? {}
  const instructions = textsIn(attributes[ATTRIBUTE.systemInstructions]) ?? agent.instructions ?? ''
  const column = {
    instructions,
    messages: messagesOf(attributes[ATTRIBUTE.inputMessages]),
    tools: agent.perRequest.includes('tools') ? null : toolNamesOf(agent),
    model: modelOf(agent, attributes[ATTRIBUTE.requestModel]),
    settings: settingsOf(attributes),
  }
  return {
    version: VERSION,
    columns: [
      { ...column, key: 1 },
      { ...column, key: 2 },
    ],
    toolResults: spans.flatMap((span) => resultOf(span) ?? []),
    executeTools: false,
  }
}

/** The call of a model that a link names: a span, or the first one of a trace. */
export function findCall(spans: readonly Span[], spanId: string): Span | undefined {
  if (spanId !== '') return spans.find((span) => span.spanId === spanId)
  return spans.find(({ attributes }) => attributes[ATTRIBUTE.operation] === OPERATION.chat)
}

/** The names of the tools of an agent, those that ask its sub-agents included. */
export function toolNamesOf({ tools, subAgents }: AgentDetail): readonly string[] {
  return [...tools.map(({ name }) => name), ...subAgents.map(({ toolName }) => toolName)]
}

/** The recorded answer that a call of a model was made for; undefined without the span of its agent. */
export function recordedAnswer(
  agent: AgentDetail,
  call: Span | undefined,
  spans: readonly Span[],
): Trial | undefined {
  const isOfAgent = ({ spanId, attributes }: Span) =>
    spanId === call?.parentSpanId && attributes[ATTRIBUTE.operation] === OPERATION.agent
  const answer = spans.find((span) => isOfAgent(span))
  if (!answer) return undefined
  const { attributes, durationMs, status, statusMessage, traceId, spanId } = answer
  const requested = firstText(attributes[ATTRIBUTE.requestModel])
  const messages = readMessagesIn(attributes[ATTRIBUTE.outputMessages], 'assistant') ?? []
  const calls = spans.filter(
    (span) => span.parentSpanId === spanId && span.attributes[ATTRIBUTE.operation] === OPERATION.tool,
  )
  return {
    text: messages.map(({ parts }) => textOf(parts)).join('\n\n'),
    calls: calls.map((span) => toolPartOf(span)),
    details: {
      status: status === 'error' ? 'error' : 'completed',
      ...(status === 'error' && { error: new Error(statusMessage ?? 'The answer failed') }),
      model:
        requested === agent.model ? `${agent.provider}/${requested}` : modelOf(agent, requested) || requested,
      usage: usageOf(attributes),
      ...(durationMs !== null && { tookMs: durationMs }),
      traceId,
    },
  }
}

function usageOf(attributes: Span['attributes']): Usage {
  const number = (name: string) => (typeof attributes[name] === 'number' ? attributes[name] : null)
  const [inputTokens, outputTokens] = [number(ATTRIBUTE.inputTokens), number(ATTRIBUTE.outputTokens)]
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
    cachedInputTokens: number(ATTRIBUTE.cachedInputTokens),
    reasoningTokens: number(ATTRIBUTE.reasoningTokens),
    costUsd: number(ATTRIBUTE.cost),
  }
}

function toolPartOf({ spanId, attributes, status, statusMessage }: Span): ToolPart {
  return {
    type: 'tool',
    toolCallId: spanId,
    toolName: String(attributes[ATTRIBUTE.toolName]),
    state: status === 'error' ? 'output-error' : 'output-available',
    input: readValue(attributes[ATTRIBUTE.toolArguments]),
    ...(ATTRIBUTE.toolResult in attributes && { output: readValue(attributes[ATTRIBUTE.toolResult]) }),
    ...(statusMessage !== undefined && { errorText: statusMessage }),
  }
}

/** The body of the request for a column. */
export function trialOf(column: LabColumn, draft: LabDraft): TrialBody {
  const { instructions, messages, tools, model, settings } = column
  return {
    input: messages.map(({ role, text }) => ({ role, content: text })),
    instructions,
    toolResults: draft.toolResults,
    executeTools: draft.executeTools,
    ...(tools && { tools: [...tools] }),
    ...(model.trim() !== '' && { model: model.trim() }),
    options: settings,
  }
}

/** Why a column can't be asked. */
export function problemOf({ instructions, messages }: LabColumn): string | undefined {
  if (instructions.trim() === '') return 'The instructions are empty'
  if (messages.length === 0) return 'There is no message'
  if (messages.some(({ text }) => text.trim() === '')) return 'A message is empty'
  return undefined
}

/** The texts up to the last one of the user: what follows, the columns ask anew. */
function messagesOf(value: unknown): readonly LabMessage[] {
  const all = (readMessagesIn(value, 'user') ?? []).flatMap(({ role, parts }): readonly LabMessage[] => {
    const text = textOf(parts)
    return text !== '' && (role === 'user' || role === 'assistant') ? [{ role, text }] : []
  })
  const end = all.findLastIndex(({ role }) => role === 'user') + 1
  return end === 0 ? [{ role: 'user', text: '' }] : all.slice(0, end)
}

/** The texts of an input of an agent: a text, or messages. */
export function messagesIn(input: unknown): readonly LabMessage[] {
  return fromInput(input).flatMap((message) => {
    const text = textIn(message)
    return text === '' ? [] : [{ role: message.role, text }]
  })
}

/** The fallback model that answered; empty for the first model of the agent. */
function modelOf({ model, fallbackModels }: AgentDetail, requested: unknown): string {
  if (typeof requested !== 'string' || requested === model) return ''
  return fallbackModels.find((name) => name.endsWith(`/${requested}`)) ?? ''
}

function textsIn(value: unknown): string | undefined {
  const text = (readMessagesIn(value, 'system') ?? []).map(({ parts }) => textOf(parts)).join('\n\n')
  return text === '' ? undefined : text
}

function textOf(parts: readonly MessagePart[]): string {
  return parts
    .flatMap(({ type, content }) => (type === 'text' && typeof content === 'string' ? [content] : []))
    .join('\n\n')
}

function resultOf({ attributes, status }: Span): LabDraft['toolResults'][number] | undefined {
  if (attributes[ATTRIBUTE.operation] !== OPERATION.tool || status !== 'ok') return undefined
  if (!(ATTRIBUTE.toolResult in attributes)) return undefined
  return {
    toolName: String(attributes[ATTRIBUTE.toolName]),
    input: readValue(attributes[ATTRIBUTE.toolArguments]),
    output: readValue(attributes[ATTRIBUTE.toolResult]),
  }
}

const SETTINGS = {
  temperature: ATTRIBUTE.requestTemperature,
  maxOutputTokens: ATTRIBUTE.requestMaxTokens,
  topP: ATTRIBUTE.requestTopP,
  topK: ATTRIBUTE.requestTopK,
  seed: ATTRIBUTE.requestSeed,
  stopSequences: ATTRIBUTE.requestStopSequences,
} as const

function settingsOf(attributes: Span['attributes']): Settings {
  const recorded = Object.entries(SETTINGS).flatMap(([name, attribute]) =>
    attributes[attribute] === undefined ? [] : [[name, attributes[attribute]] as const],
  )
  return Object.fromEntries(recorded)
}
