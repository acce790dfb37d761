import type { ModelFinish } from '../../models/model-call.ts'
import type { ModelPart } from '../../models/traced-messages.ts'
import type { Usage } from '../../../contract/agent-event.ts'
import { costIn } from '../../prices/cost-metadata.ts'
import { fromModelUsage } from '../usage.ts'

/** An answer of a model as it is recorded: the result of `doGenerate` without what only the provider's log needs. */
export interface RecordedAnswer extends ModelFinish {
  readonly content: readonly ModelPart[]
  readonly warnings?: readonly unknown[]
  readonly response?: { readonly id?: string; readonly modelId?: string; readonly timestamp?: unknown }
}

/** The result of `doGenerate`, as a JSON value. */
export function answerRecord({ content, finishReason, usage, ...rest }: RecordedAnswer): unknown {
  const { warnings = [], providerMetadata, response } = rest
  const { id, modelId, timestamp } = response ?? {}
  const answer = {
    content,
    finishReason,
    usage,
    warnings,
    providerMetadata,
    response: { id, modelId, timestamp },
  }
  return JSON.parse(JSON.stringify(answer, withoutBytes))
}

/** The result of `doGenerate` that was recorded. */
export function recalledAnswer(value: unknown): RecordedAnswer {
  const { response, ...answer } = value as RecordedAnswer
  const { timestamp } = response ?? {}
  return {
    ...answer,
    response: { ...response, ...(typeof timestamp === 'string' && { timestamp: new Date(timestamp) }) },
  }
}

/** Whether the model has called tools: its answer is not the last one then. */
export function callsTools({ content }: RecordedAnswer): boolean {
  return content.some(({ type }) => type === 'tool-call')
}

/** What a recorded answer has used; `undefined` when its model did not report it. */
export function usageOfAnswer({ usage, providerMetadata }: RecordedAnswer): Usage | undefined {
  return usage && { ...fromModelUsage(usage, undefined), costUsd: costIn(providerMetadata) }
}

/** The parts of `doStream` that make the same answer. */
export function* toParts({ content, warnings, response, ...finish }: RecordedAnswer): Generator<ModelPart> {
  yield { type: 'stream-start', warnings: warnings ?? [] }
  yield { type: 'response-metadata', ...response }
  for (const [index, part] of content.entries()) {
    const { type, text } = part
    if (type !== 'text' && type !== 'reasoning') {
      yield part
      continue
    }
    const { providerMetadata } = part
    const id = `${type}-${index}`
    const metadata = providerMetadata === undefined ? {} : { providerMetadata }
    yield { type: `${type}-start`, id }
    yield { type: `${type}-delta`, id, delta: text }
    yield { type: `${type}-end`, id, ...metadata }
  }
  yield { type: 'finish', ...finish }
}

/** Makes the result of `doGenerate` from the parts of `doStream`. */
export class AnswerCollector {
  readonly #content: ModelPart[] = []
  /** The places in the content of texts that have not ended. */
  readonly #open = new Map<string, number>()
  #warnings: readonly unknown[] = []
  #response: NonNullable<RecordedAnswer['response']> = {}

  add(part: ModelPart): void {
    const { type } = part
    switch (type) {
      case 'stream-start':
        this.#warnings = part['warnings'] as readonly unknown[]
        break
      case 'response-metadata':
        this.#response = { ...this.#response, ...part }
        break
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#addText('text', part)
        break
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#addText('reasoning', part)
        break
      default:
        if (!NOT_CONTENT.has(type)) this.#content.push(part)
    }
  }

  /** @param finish the last part of the stream */
  answer(finish: ModelPart): RecordedAnswer {
    const { type: _, ...end } = finish
    return { content: this.#content, warnings: this.#warnings, response: this.#response, ...end }
  }

  #addText(type: 'text' | 'reasoning', part: ModelPart): void {
    const key = `${type} ${String(part['id'])}`
    const place = this.#open.get(key) ?? this.#content.push({ type, text: '' }) - 1
    this.#open.set(key, place)
    const { text = '', ...before } = this.#content[place] ?? { type }
    const { delta = '', providerMetadata = before['providerMetadata'] } = part
    const metadata = providerMetadata === undefined ? {} : { providerMetadata }
    this.#content[place] = { ...before, type, text: String(text) + String(delta), ...metadata }
    if (part.type.endsWith('-end')) this.#open.delete(key)
  }
}

/** Parts that are no content of an answer, or are repeated in it. */
const NOT_CONTENT: ReadonlySet<string> = new Set([
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
  'raw',
  'error',
  'finish',
])

/** Files of models may be bytes; all providers accept base64 as well. */
function withoutBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
