import type { ModelObject } from '../model-object.ts'
import { LIST_PRICES } from './list-prices.ts'
import type { ListPrice } from './list-prices.ts'
import type { ModelPrices } from './model-price.ts'

interface PricedModel {
  /** As in the model's name, or as the AI SDK names it: `openai.responses`. */
  readonly provider: string
  readonly modelId: string
  /** Without it, the model counts as called at its provider. */
  readonly model: ModelObject | undefined
}

/**
 * The price of a model: that of the configuration, otherwise the provider's list price. Each is looked up by the model's
 * id, then by the id without the date of a snapshot. `undefined` for models without a price, and for list prices when the
 * model is not called at the provider itself.
 */
export function findPrice(priced: PricedModel, prices: ModelPrices): ListPrice | undefined {
  const { modelId, model } = priced
  const ids = [modelId, withoutSnapshot(modelId)]
  const providers = [priced.provider, providerName(priced.provider)]
  const own = ids.flatMap((id) => providers.map((provider) => valueOf(prices, `${provider}/${id}`)))
  const list = valueOf(LIST_PRICES, providerName(priced.provider))
  const isAtProvider = list !== undefined && (hostOf(model) ?? list.host) === list.host
  const listed = isAtProvider ? ids.map((id) => valueOf(list.models, id)) : []
  return [...own, ...listed].find((price) => price !== undefined)
}

/** Names of the AI SDK that a price list has under a shorter one. */
const LISTED: Readonly<Record<string, string>> = { 'google.generative-ai': 'google' }

/** The provider without its kind of API: `openai` for `openai.responses`. */
function providerName(provider: string): string {
  return LISTED[provider] ?? provider.replace(/\.(?:chat|responses|messages|completion)$/, '')
}

/** `gpt-4o` for `gpt-4o-2024-08-06`, `claude-haiku-4-5` for `claude-haiku-4-5-20251001` and `-latest`. */
function withoutSnapshot(modelId: string): string {
  return modelId.replace(/-(?:\d{4}-\d{2}-\d{2}|20\d{6}|latest|00\d)$/, '')
}

/**
 * The host that a model calls, if it is visible: the model objects of the AI SDK's providers have it in their settings.
 */
function hostOf(model: ModelObject | undefined): string | undefined {
  const { config } = (model ?? {}) as { config?: Readonly<Record<string, unknown>> }
  const { baseURL, url } = config ?? {}
  const address: unknown = typeof url === 'function' ? url({ path: '', modelId: model?.modelId }) : baseURL
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).hostname : undefined
}

function valueOf<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined
}
