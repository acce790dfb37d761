import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { Attributes, OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ModelObject } from '../model-object.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { LoadedModel } from './load-model.ts'
import { providerAttribute } from './provider-attribute.ts'
import { tracedAnswer, tracedPrompt, type ModelMessageLike, type ModelPart } from './traced-messages.ts'
import { tokenCount, type ModelUsage, fromModelUsage } from '../answer/usage.ts'

/** The options of a model call that are recorded on its span. */
interface CallOptions {
  readonly prompt: readonly ModelMessageLike[]
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly maxOutputTokens?: number
  readonly stopSequences?: readonly string[]
  readonly responseFormat?: { readonly type: string }
}

interface Finish {
  readonly finishReason?: string | { readonly unified?: string }
  readonly usage?: ModelUsage
}

interface Response {
  readonly id?: string
  readonly modelId?: string
}

interface Generated extends Finish {
  readonly content: readonly ModelPart[]
  readonly response?: Response
}

interface Streamed {
  readonly stream: ReadableStream<ModelPart>
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: CallOptions): PromiseLike<Generated>
  doStream(options: CallOptions): PromiseLike<Streamed>
}

/** A call of a model that ended. */
export interface ModelCall {
  /** The provider as OpenTelemetry names it. */
  readonly provider: string
  readonly modelId: string
  /** The model that responded, if the provider names it. */
  readonly responseModel?: string | undefined
  readonly seconds: number
  readonly usage?: Usage | undefined
  /** The name of the error, if the call failed. */
  readonly errorType?: string | undefined
}

export interface TracedModelOptions {
  readonly trace: TraceScope
  /** Called with the usage of each call, as soon as the model reports it. */
  readonly onUsage: ((usage: Usage) => void) | undefined
  /** Called at the end of each call. */
  readonly onCall: ((call: ModelCall) => void) | undefined
}

/** Wraps a model so that each call is a span, including retries and the calls after tool calls. */
export function tracedModel(
  { model, provider, modelId }: LoadedModel,
  { trace, onUsage = ignore, onCall = ignore }: TracedModelOptions,
): ModelObject {
  if (!trace.isRecording && onUsage === ignore && onCall === ignore) return model
  const inner = model as unknown as Model
  const start = (options: CallOptions, isStream: boolean) => {
    const span = trace.start(`${OPERATION.chat} ${modelId}`, {
      kind: 'client',
      attributes: {
        ...requestAttributes(options, { provider, modelId }),
        [ATTRIBUTE.requestStream]: isStream,
      },
    })
    const { instructions, messages } = span.capturesContent ? tracedPrompt(options.prompt) : NOTHING
    span.setContent(ATTRIBUTE.systemInstructions, () => instructions)
    span.setContent(ATTRIBUTE.inputMessages, () => messages)
    return span
  }
  const measure = (): EndCall => {
    const startedAt = performance.now()
    return (end) => {
      const seconds = (performance.now() - startedAt) / 1000
      onCall({ provider: providerAttribute(provider), modelId, seconds, ...end })
    }
  }
  const traced: Model = {
    doGenerate: async (options) => {
      const end = measure()
      const span = start(options, false)
      try {
        const generated = await span.run(() => inner.doGenerate(options))
        const { content, response } = generated
        const usage = generated.usage && fromModelUsage(generated.usage)
        if (usage) onUsage(usage)
        finish(span, generated, { content, response })
        end({ usage, responseModel: response?.modelId })
        return generated
      } catch (error) {
        span.fail(error)
        end({ errorType: errorTypeOf(error) })
        throw error
      } finally {
        span.end()
      }
    },
    doStream: async (options) => {
      const startedAt = performance.now()
      const end = measure()
      const span = start(options, true)
      try {
        const streamed = await span.run(() => inner.doStream(options))
        return { ...streamed, stream: observeStream(streamed.stream, { span, startedAt, onUsage, end }) }
      } catch (error) {
        span.fail(error)
        span.end()
        end({ errorType: errorTypeOf(error) })
        throw error
      }
    },
  }
  const { specificationVersion, supportedUrls } = model
  return {
    specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls,
    ...traced,
  }
}

const ignore = (): void => undefined

/** Reports the end of a call. */
type EndCall = (end: Pick<ModelCall, 'usage' | 'responseModel' | 'errorType'>) => void

/** The status of the provider's response, otherwise the name of the error. */
function errorTypeOf(error: unknown): string {
  const { statusCode, name } = (error ?? {}) as { statusCode?: unknown; name?: unknown }
  return typeof statusCode === 'number' ? String(statusCode) : typeof name === 'string' ? name : 'Error'
}

const NOTHING = { instructions: undefined, messages: undefined }

function requestAttributes(
  options: CallOptions,
  { provider, modelId }: Pick<LoadedModel, 'provider' | 'modelId'>,
): Attributes {
  return {
    [ATTRIBUTE.operation]: OPERATION.chat,
    [ATTRIBUTE.provider]: providerAttribute(provider),
    [ATTRIBUTE.requestModel]: modelId,
    [ATTRIBUTE.requestTemperature]: options.temperature,
    [ATTRIBUTE.requestTopP]: options.topP,
    [ATTRIBUTE.requestTopK]: options.topK,
    [ATTRIBUTE.requestSeed]: options.seed,
    [ATTRIBUTE.requestMaxTokens]: options.maxOutputTokens,
    [ATTRIBUTE.requestStopSequences]: options.stopSequences,
    [ATTRIBUTE.outputType]: options.responseFormat?.type,
  }
}

interface Answer {
  readonly content: readonly ModelPart[]
  readonly response?: Response | undefined
}

function finish(span: OpenSpan, { finishReason, usage }: Finish, { content, response }: Answer): void {
  const reason =
    FINISH_REASONS[(typeof finishReason === 'string' ? finishReason : finishReason?.unified) ?? '']
  span.setAttributes({
    [ATTRIBUTE.responseId]: response?.id,
    [ATTRIBUTE.responseModel]: response?.modelId,
    [ATTRIBUTE.finishReasons]: reason === undefined ? undefined : [reason],
    [ATTRIBUTE.inputTokens]: tokenCount(usage?.inputTokens),
    [ATTRIBUTE.outputTokens]: tokenCount(usage?.outputTokens),
    [ATTRIBUTE.cachedInputTokens]: usage?.cachedInputTokens ?? tokenCount(usage?.inputTokens, 'cacheRead'),
    [ATTRIBUTE.cacheWriteTokens]: tokenCount(usage?.inputTokens, 'cacheWrite'),
    [ATTRIBUTE.reasoningTokens]: usage?.reasoningTokens ?? tokenCount(usage?.outputTokens, 'reasoning'),
  })
  span.setContent(ATTRIBUTE.outputMessages, () => tracedAnswer(content, reason))
}

/** The reasons of the AI SDK in OpenTelemetry's enumeration, which has none for `other` and `unknown`. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_call',
  error: 'error',
}

interface ObservedStream {
  readonly span: OpenSpan
  /** When the model was called, by `performance.now()`. */
  readonly startedAt: number
  readonly onUsage: (usage: Usage) => void
  readonly end: EndCall
}

/** Forwards a stream without buffering, and ends the span with it. */
function observeStream(
  stream: ReadableStream<ModelPart>,
  { span, startedAt, onUsage, end }: ObservedStream,
): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  const answer = new AnswerParts(end)
  let hasChunk = false
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            answer.end(span)
            return controller.close()
          }
          // `stream-start` is made here, before the provider responds
          if (!hasChunk && value.type !== 'stream-start') {
            hasChunk = true
            span.setAttributes({ [ATTRIBUTE.timeToFirstChunk]: (performance.now() - startedAt) / 1000 })
          }
          answer.add(value, span)
          const { usage } = value.type === 'finish' ? (value as Finish) : {}
          if (usage) onUsage(fromModelUsage(usage))
          controller.enqueue(value)
        } catch (error) {
          span.fail(error)
          answer.end(span, error)
          throw error
        }
      },
      cancel(reason) {
        answer.end(span)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Collects the parts of a stream for its span. */
class AnswerParts {
  readonly #content: ModelPart[] = []
  #text = ''
  #finish: Finish = {}
  #response: Response | undefined
  #error: unknown
  readonly #endCall: EndCall

  constructor(endCall: EndCall) {
    this.#endCall = endCall
  }

  add(part: ModelPart, span: OpenSpan): void {
    switch (part.type) {
      case 'text-delta':
        if (span.capturesContent) this.#text += String(part['delta'])
        break
      case 'tool-call':
        if (span.capturesContent) this.#content.push(part)
        break
      case 'response-metadata':
        this.#response = part as Response
        break
      case 'finish':
        this.#finish = part as Finish
        break
      case 'error':
        span.fail(part['error'])
        this.#error = part['error']
        break
      default:
    }
  }

  end(span: OpenSpan, error: unknown = this.#error): void {
    const text = this.#text === '' ? [] : [{ type: 'text', text: this.#text }]
    finish(span, this.#finish, { content: [...text, ...this.#content], response: this.#response })
    span.end()
    const { usage } = this.#finish
    this.#endCall({
      usage: usage && fromModelUsage(usage),
      responseModel: this.#response?.modelId,
      ...(error !== undefined && { errorType: errorTypeOf(error) }),
    })
  }
}
