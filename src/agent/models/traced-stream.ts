import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import { fromModelUsage, UNKNOWN_USAGE } from '../answer/usage.ts'
import { withCost } from '../prices/cost-metadata.ts'
import type { ListPrice } from '../prices/list-prices.ts'
import { errorTypeOf, setAnswer } from './model-call.ts'
import type { EndCall, ModelFinish, ModelResponse } from './model-call.ts'
import type { ModelPart } from './traced-messages.ts'

interface ObservedStream {
  readonly span: OpenSpan
  /** When the model was called, by `performance.now()`. */
  readonly startedAt: number
  readonly price: ListPrice | undefined
  /** Whether the text is left out of the span. */
  readonly hidesText: boolean
  readonly onUsage: (usage: Usage) => void
  readonly end: EndCall
}

/** Forwards a stream without buffering, and ends the span with it. */
export function observeStream(
  stream: ReadableStream<ModelPart>,
  { span, startedAt, price, hidesText, onUsage, end }: ObservedStream,
): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  const answer = new AnswerParts(end)
  let hasChunk = false
  let isReported = false
  const report = (usage: Usage) => {
    if (isReported) return
    isReported = true
    onUsage(usage)
  }
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            report(UNKNOWN_USAGE)
            answer.end(span)
            return controller.close()
          }
          // `stream-start` is made here, before the provider responds
          if (!hasChunk && value.type !== 'stream-start') {
            hasChunk = true
            span.setAttributes({ [ATTRIBUTE.timeToFirstChunk]: (performance.now() - startedAt) / 1000 })
          }
          const finish = value.type === 'finish' ? (value as ModelFinish) : {}
          const usage = finish.usage && fromModelUsage(finish.usage, price)
          if (value.type !== 'text-delta' || !hidesText) answer.add(value, span, usage)
          if (usage) report(usage)
          controller.enqueue(usage ? { ...value, ...withCost(finish, usage.costUsd) } : value)
        } catch (error) {
          // a request that the provider refused is not charged
          if (hasChunk) report(UNKNOWN_USAGE)
          span.fail(error)
          answer.end(span, error)
          throw error
        }
      },
      cancel(reason) {
        report(UNKNOWN_USAGE)
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
  #finish: ModelFinish = {}
  #usage: Usage | undefined
  #response: ModelResponse | undefined
  #error: unknown
  readonly #endCall: EndCall

  constructor(endCall: EndCall) {
    this.#endCall = endCall
  }

  add(part: ModelPart, span: OpenSpan, usage: Usage | undefined): void {
    switch (part.type) {
      case 'text-delta':
        if (span.capturesContent) this.#text += String(part['delta'])
        break
      case 'tool-call':
        if (span.capturesContent) this.#content.push(part)
        break
      case 'response-metadata':
        this.#response = part as ModelResponse
        break
      case 'finish':
        this.#finish = part as ModelFinish
        this.#usage = usage
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
    setAnswer(span, this.#finish, {
      costUsd: this.#usage?.costUsd,
      content: [...text, ...this.#content],
      response: this.#response,
    })
    span.end()
    this.#endCall({
      usage: this.#usage,
      responseModel: this.#response?.modelId,
      ...(error !== undefined && { errorType: errorTypeOf(error) }),
    })
  }
}
