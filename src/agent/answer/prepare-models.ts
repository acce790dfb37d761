import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { Usage } from '../../contract/agent-event.ts'
import { messageOf } from '../../lib/errors.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { CallBudget } from '../budgets/call-budget.ts'
import { isLoaded, LimitedModel } from '../budgets/limited-model.ts'
import type { AgentModel } from '../model-object.ts'
import { withAcceptedFiles } from '../models/accepted-files.ts'
import { withDistinctCallIds } from '../models/distinct-call-ids.ts'
import { FallbackModel, sameVersion } from '../models/fallback-model.ts'
import { loadModel, loadModels } from '../models/load-model.ts'
import type { LoadedModel } from '../models/load-model.ts'
import type { ModelCall } from '../models/model-call.ts'
import { chooseModel } from '../models/model-choice.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import type { AnswerRecorder } from './model-recorder.ts'
import type { Environment } from '../models/model-provider.ts'
import type { RecordedCalls } from './journal/recorded-calls.ts'
import { translateError } from '../models/provider-error.ts'
import { tracedModel } from '../models/traced-model.ts'
import { findPrice } from '../prices/find-price.ts'
import type { ModelPrices } from '../prices/model-price.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'

export interface ModelsOptions {
  /** The models, as `chooseModels` chose them for the agent. */
  readonly models: readonly ModelChoice[]
  /** Called when a model is unavailable and the next one is called instead. */
  readonly onModel?: ((model: ModelChoice) => void) | undefined
  /** Called with the usage of each call of the agent's own model, as soon as the model reports it. */
  readonly onUsage?: ((usage: Usage, model: Pick<ModelChoice, 'provider' | 'modelId'>) => void) | undefined
  /** Called at the start of each call of the agent's own model. */
  readonly onModelCallStart?: (() => void) | undefined
  /** Called at the end of each call of the agent's own model. */
  readonly onModelCall?: ((call: ModelCall) => void) | undefined
  /** Prices of models, which replace the list prices of their providers. */
  readonly prices?: ModelPrices | undefined
  /** Environment variables; the keys of the providers are read from them. */
  readonly env: Environment
  /** The directory that the project's packages are resolved from. */
  readonly projectDir: string
  /** Redacts secrets in the errors of tools and of the model's provider. */
  readonly redact: (text: string) => string
  /** Records what the models answer, or answers in their place. */
  readonly recorder?: AnswerRecorder | undefined
  /** The budgets that the calls count for. */
  readonly budget?: CallBudget | undefined
  /** Makes recorded calls, by which a budget asks a person. */
  readonly calls?: RecordedCalls | undefined
  /** Answers of the models that were recorded by an earlier process. Default: none. */
  readonly recalled?: (() => number) | undefined
  /** The parent of the spans of the calls. */
  readonly trace?: TraceScope | undefined
}

/**
 * Loads the models of an agent, each with a span for each of its calls.
 *
 * @throws AppError `unavailable` when the key or the package of the model's provider is missing.
 */
export async function prepareModels(
  agent: ResolvedAgent,
  options: ModelsOptions,
  { ai, logger }: { readonly ai: typeof Ai; readonly logger: Logger },
): Promise<FallbackModel | LimitedModel> {
  const { models: choices, env, projectDir, trace = NO_TRACE } = options
  const { onModelCallStart: onStart, onModelCall: onCall } = options
  const { onModel, redact, prices = {}, recorder, recalled = () => 0 } = options
  const load = { env, projectDir, logger, isCalled: recorder?.replays !== true }
  const loaded = await loadModels(choices, agent.models, load)
  const hidesText = agent.guardrails.output.length > 0
  const traced = (one: LoadedModel): LoadedModel => {
    const accepted = { ...one, model: withDistinctCallIds(withAcceptedFiles(one.model)) }
    const accepting = recorder?.wrap(accepted, { ai, redact }) ?? accepted
    const price = findPrice(one, prices)
    const onUsage = (usage: Usage) => options.onUsage?.(usage, one)
    return { ...one, model: tracedModel(accepting, { trace, price, hidesText, onUsage, onStart, onCall }) }
  }
  const first = loaded[0] as LoadedModel
  if (first.modelId !== choices[0]?.modelId) onModel?.(first)
  const onFallback = (next: LoadedModel, error: unknown, model: LoadedModel) => {
    const reason = messageOf(translateError(error, { ai, model, redact }))
    logger.warn(`${reason}. Calling ${next.provider}/${next.modelId} instead`)
    onModel?.(next)
  }
  // answers that are replayed cost nothing
  const budget = load.isCalled ? options.budget : undefined
  if (!budget) return new FallbackModel(loaded.map(traced), { ai, onFallback })
  const others = await loadOthers(budget.models, load)
  const all = [...loaded, ...[...others.values()].filter(isLoaded)]
  const prepared = new Map(
    sameVersion(all.map(traced), ai).map((one, index) => [all[index] as LoadedModel, one]),
  )
  const ownModels = loaded.map((one) => prepared.get(one) as LoadedModel)
  const priced = new Map([...prepared].map(([one, made]) => [made, findPrice(one, prices)]))
  return new LimitedModel({
    budget,
    own: new FallbackModel(ownModels, { ai, onFallback }),
    others: new Map(
      [...others].map(([name, one]) => [name, isLoaded(one) ? (prepared.get(one) as LoadedModel) : one]),
    ),
    priceOf: (model) => priced.get(model),
    recalled,
    tools: options.calls,
    onModel: (next) => {
      logger.info(`A budget is used up: calling ${next.provider}/${next.modelId} from now on`)
      onModel?.(next)
    },
  })
}

/** The models that a run may continue with, or why they can't be called. */
async function loadOthers(
  models: readonly AgentModel[],
  options: Parameters<typeof loadModel>[2],
): Promise<ReadonlyMap<AgentModel, LoadedModel | Error>> {
  const loading = models.map(async (model) => {
    const choice = chooseModel(model, { env: options.env, production: true })
    const failed = (error: unknown) => (error instanceof Error ? error : new Error(messageOf(error)))
    return [model, await loadModel(choice, model, options).catch(failed)] as const
  })
  return new Map(await Promise.all(loading))
}
