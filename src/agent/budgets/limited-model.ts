import { toNanoDollars } from '../../contract/usage/cost.ts'
import type { FallbackModel } from '../models/fallback-model.ts'
import type { LoadedModel } from '../models/load-model.ts'
import type { ModelFinish } from '../models/model-call.ts'
import type { ModelPart } from '../models/traced-messages.ts'
import type { AgentModel, ModelObject } from '../model-object.ts'
import { costIn } from '../prices/cost-metadata.ts'
import type { ListPrice } from '../prices/list-prices.ts'
import type { ApprovedSuspendOptions } from '../../step/step-calls.ts'
import { fromModelUsage } from '../answer/usage.ts'
import type { RecordedCalls } from '../answer/journal/recorded-calls.ts'
import type { BudgetQuestion, CallAmount, CallBudget, Reservation, EstimatedCall } from './call-budget.ts'
import { estimate } from './call-budget.ts'

/** What one response may allow. Sums of it can be stored exactly. */
const MAX_ALLOWED = { usd: 1_000_000, tokens: 1_000_000_000 } as const

interface Call extends EstimatedCall {
  readonly abortSignal?: AbortSignal
}

interface Streamed {
  readonly stream: ReadableStream<ModelPart>
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(call: Call): PromiseLike<ModelFinish>
  doStream(call: Call): PromiseLike<Streamed>
}

interface LimitedModelDeps {
  readonly budget: CallBudget
  /** The models of the agent. */
  readonly own: FallbackModel
  /** The models that the run may continue with, as far as they could be loaded. */
  readonly others: ReadonlyMap<AgentModel, LoadedModel | Error>
  readonly priceOf: (model: LoadedModel) => ListPrice | undefined
  /** How many answers of the run were recorded by an earlier process. */
  readonly recalled: () => number
  /** Called when the run continues with another model. */
  readonly onModel: (model: LoadedModel) => void
  /** Makes the recorded call that asks a person. Without it nobody can be asked. */
  readonly tools?: RecordedCalls | undefined
}

/** The models of an agent whose calls count for budgets. The AI SDK's retries of a call are calls themselves. */
export class LimitedModel {
  readonly #deps: LimitedModelDeps
  /** The model with which the run has gone on. */
  #other: LoadedModel | undefined
  /** The calls of the agent that have ended with an answer. */
  #answers = 0
  /** How often a person was asked in this part of the run: what was answered before is recorded under the same numbers. */
  #asked = 0

  constructor(deps: LimitedModelDeps) {
    this.#deps = deps
  }

  /** The model that answered last, or is called next. */
  get current(): LoadedModel {
    return this.#other ?? this.#deps.own.current
  }

  /** The model for the AI SDK. */
  get model(): ModelObject {
    return this.#limited({
      number: () => this.#deps.recalled() + this.#answers,
      onAnswer: () => this.#answers++,
    })
  }

  /** The same model for calls that are not repeated after a crash. */
  get unrepeated(): LimitedModels {
    const model = this.#limited({ number: () => undefined, onAnswer: () => undefined })
    const current = () => this.current
    return {
      model,
      get current() {
        return current()
      },
    }
  }

  #limited(calls: NumberedCalls): ModelObject {
    const { own, others } = this.#deps
    const { specificationVersion, provider, modelId, supportedUrls } = own.model
    const all = [...others.values()].filter(isLoaded)
    const sameProvider = all.every(({ model }) => model.provider === provider)
    const limited: Model = {
      doGenerate: async (call) => {
        const { model, use } = await this.#reserve(call, calls)
        try {
          const generated = await model.doGenerate(call)
          await use.end(generated)
          calls.onAnswer()
          return generated
        } catch (error) {
          // a request that the provider refused is not charged
          await (call.abortSignal?.aborted === true ? use.end() : use.refused())
          throw error
        }
      },
      doStream: async (call) => {
        const { model, use } = await this.#reserve(call, calls)
        try {
          const streamed = await model.doStream(call)
          return { ...streamed, stream: counted(streamed.stream, use, calls.onAnswer) }
        } catch (error) {
          await (call.abortSignal?.aborted === true ? use.end() : use.refused())
          throw error
        }
      },
    }
    // files that one of the providers can't download itself are downloaded by the AI SDK
    const urls = sameProvider ? supportedUrls : {}
    return { specificationVersion, provider, modelId, supportedUrls: urls, ...limited }
  }

  /** Reserves a call of the current model, or of the one with which the run continues. */
  async #reserve(call: Call, { number }: NumberedCalls): Promise<{ model: Model; use: CallUse }> {
    const { budget, own, priceOf } = this.#deps
    for (;;) {
      const amount = estimate(call, priceOf(this.current))
      const verdict = await budget.reserve({ number: number(), estimate: amount })
      if ('settle' in verdict) {
        const model = (this.#other?.model ?? own.model) as unknown as Model
        return { model, use: new CallUse(verdict, amount) }
      }
      if ('model' in verdict) this.#continueWith(verdict.model)
      // a call that is not repeated belongs to a tool, which waits for it
      else if (number() === undefined) throw verdict.ask.error
      else await this.#ask(verdict.ask, call.abortSignal)
    }
  }

  /** Waits until a person allows more. */
  async #ask(asked: BudgetQuestion, signal: AbortSignal | undefined): Promise<void> {
    const { question, unit, approvedBy, error } = asked
    const { tools } = this.#deps
    if (!tools) throw error
    const name = unit === 'usd' ? 'allowUsd' : 'allowTokens'
    const number = String(++this.#asked)
    const input = { question }
    const call = { kind: 'budget', toolCallId: number, toolName: 'budget', input, signal } as const
    const amount = {
      type: unit === 'usd' ? 'number' : 'integer',
      exclusiveMinimum: 0,
      maximum: MAX_ALLOWED[unit],
    }
    const options: ApprovedSuspendOptions = {
      reason: 'budget',
      data: { question: `${question}. Allow more?` },
      approvedBy,
      resumeSchema: {
        type: 'object',
        properties: { [name]: amount },
        required: [name],
        additionalProperties: false,
      },
    }
    const allowed = await tools.make(call, ({ step }) => step.suspend('allow', options))
    asked.allow((allowed as Readonly<Record<string, number>>)[name] ?? 0)
  }

  #continueWith(model: AgentModel): void {
    const { others, onModel } = this.#deps
    const other = others.get(model)
    if (other === undefined || !isLoaded(other))
      throw other ?? new Error('The model of the budget was not loaded')
    this.#other = other
    onModel(other)
  }
}

/** Whether a model could be loaded. */
export function isLoaded(model: LoadedModel | Error): model is LoadedModel {
  return !(model instanceof Error)
}

/** Models of which one is called at a time. */
export type LimitedModels = Pick<FallbackModel, 'current' | 'model'>

interface NumberedCalls {
  /** The place of the next call in its run. */
  readonly number: () => number | undefined
  readonly onAnswer: () => void
}

/** What one call uses. It is settled once. */
class CallUse {
  readonly #reservation: Reservation
  readonly #estimate: CallAmount
  #isSettled = false

  constructor(reservation: Reservation, estimated: CallAmount) {
    this.#reservation = reservation
    this.#estimate = estimated
  }

  /** The call was charged: as reported, otherwise as estimated. */
  end({ usage, providerMetadata }: ModelFinish = {}): Promise<void> {
    const { costNano, tokens } = this.#estimate
    const { totalTokens = null } = usage ? fromModelUsage(usage, undefined) : {}
    const costUsd = costIn(providerMetadata)
    return this.#settle({
      costNano: costUsd === null ? costNano : toNanoDollars(costUsd),
      tokens: totalTokens ?? tokens,
    })
  }

  /** The call was not charged. */
  refused(): Promise<void> {
    return this.#settle({ costNano: 0, tokens: 0 })
  }

  async #settle(used: CallAmount): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    await this.#reservation.settle(used)
  }
}

/** Forwards a stream, and settles its call before the last part. */
function counted(
  stream: ReadableStream<ModelPart>,
  use: CallUse,
  onAnswer: () => void,
): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  let isCharged = false
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            await use.end()
            return controller.close()
          }
          if (value.type === 'finish') {
            await use.end(value as ModelFinish)
            onAnswer()
          }
          // `stream-start` is made here, before the provider responds
          else if (value.type !== 'stream-start' && value.type !== 'error') isCharged = true
          controller.enqueue(value)
        } catch (error) {
          await (isCharged ? use.end() : use.refused())
          throw error
        }
      },
      async cancel(reason) {
        await use.end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
