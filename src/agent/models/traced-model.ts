import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { Attributes, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ModelObject } from '../model-object.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { LoadedModel } from './load-model.ts'
import { providerAttribute } from './provider-attribute.ts'
import { errorTypeOf, setAnswer } from './model-call.ts'
import type { EndCall, ModelCall, ModelFinish, ModelResponse } from './model-call.ts'
import { tracedPrompt } from './traced-messages.ts'
import type { ModelMessageLike, ModelPart } from './traced-messages.ts'
import { observeStream } from './traced-stream.ts'
import { fromModelUsage, UNKNOWN_USAGE } from '../answer/usage.ts'
import { withCost } from '../prices/cost-metadata.ts'
import type { ListPrice } from '../prices/list-prices.ts'

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
  readonly abortSignal?: AbortSignal
}

interface Generated extends ModelFinish {
  readonly content: readonly ModelPart[]
  readonly response?: ModelResponse
}

interface Streamed {
  readonly stream: ReadableStream<ModelPart>
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: CallOptions): PromiseLike<Generated>
  doStream(options: CallOptions): PromiseLike<Streamed>
}

export interface TracedModelOptions {
  readonly trace: TraceScope
  readonly price: ListPrice | undefined
  /** Whether the text of answers is left out of their spans, because guardrails have not seen it. */
  readonly hidesText: boolean
  /** Called with the usage of each call, as soon as the model reports it. */
  readonly onUsage: ((usage: Usage) => void) | undefined
  /** Called at the start of each call. */
  readonly onStart: (() => void) | undefined
  /** Called at the end of each call. */
  readonly onCall: ((call: ModelCall) => void) | undefined
}

/** Wraps a model so that each call has its cost and is a span, including retries and the calls after tool calls. */
export function tracedModel(
  { model, provider, modelId }: LoadedModel,
  { trace, price, hidesText, onUsage = ignore, onStart = ignore, onCall = ignore }: TracedModelOptions,
): ModelObject {
  if (!trace.isRecording && price === undefined && onUsage === ignore && onCall === ignore) return model
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
    onStart()
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
        const { response } = generated
        const content = generated.content.filter(({ type }) => !hidesText || type === 'tool-call')
        const usage = generated.usage && fromModelUsage(generated.usage, price)
        if (usage) onUsage(usage)
        setAnswer(span, generated, { costUsd: usage?.costUsd, content, response })
        end({ usage, responseModel: response?.modelId })
        return withCost(generated, usage?.costUsd ?? null)
      } catch (error) {
        // a request that the provider refused is not charged
        if (options.abortSignal?.aborted === true) onUsage(UNKNOWN_USAGE)
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
        return {
          ...streamed,
          stream: observeStream(streamed.stream, { span, startedAt, price, hidesText, onUsage, end }),
        }
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
