/** What a provider adds to a model's answer, by provider. */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const NAME = 'agentserver'

/**
 * Adds the cost of a call to the metadata of its answer, which the AI SDK passes on with the step: only the model that
 * answered knows its price.
 */
export function withCost<T extends { readonly providerMetadata?: ProviderMetadata }>(
  answer: T,
  costUsd: number | null,
): T {
  return costUsd === null
    ? answer
    : { ...answer, providerMetadata: { ...answer.providerMetadata, [NAME]: { costUsd } } }
}

/** The cost in an answer's metadata; `null` when it is unknown. */
export function costIn(metadata: ProviderMetadata | undefined): number | null {
  const cost = metadata?.[NAME]?.['costUsd']
  return typeof cost === 'number' ? cost : null
}
