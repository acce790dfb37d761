import { ModelCallSettings } from '../contract/model-call-settings.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import { readIssues } from '../lib/schema/standard-validation.ts'

/** Settings of the model calls of an answer, with the names that the AI SDK gives them. Default: those of the provider. */
export interface GenerationSettings {
  /** Sampling temperature, 0 or more. Models that reason often ignore it. */
  readonly temperature?: number | undefined
  /** The maximum number of tokens that one model call generates. */
  readonly maxOutputTokens?: number | undefined
  /** Nucleus sampling, 0 to 1. Set this or `temperature`. */
  readonly topP?: number | undefined
  /** Sampling from the K most likely tokens. */
  readonly topK?: number | undefined
  /** How much tokens that have occurred are avoided, -2 to 2. */
  readonly presencePenalty?: number | undefined
  /** How much tokens are avoided that have occurred often, -2 to 2. */
  readonly frequencyPenalty?: number | undefined
  /** Seed of the sampling, where the provider supports it. */
  readonly seed?: number | undefined
  /** Texts that end the generation, at most 100. */
  readonly stopSequences?: readonly string[] | undefined
  /**
   * Options of the AI SDK's providers, by the name of the provider:
   * `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 8000 } } }`.
   */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

const NAMES = Object.keys(ModelCallSettings.shape) as readonly (keyof GenerationSettings)[]

/** The settings among the options of an agent. */
export function generationSettings(config: GenerationSettings): GenerationSettings {
  return Object.freeze(
    Object.fromEntries(
      NAMES.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]),
    ),
  )
}

/** The problems of the settings among the options of an agent. */
export function generationProblems(config: GenerationSettings): string[] {
  const settings = generationSettings(config)
  const { error } = ModelCallSettings.safeParse(settings)
  return error === undefined ? [] : [formatIssues(readIssues(error.issues, settings, 'zod'), '')]
}

/** The settings of a request, and those of the agent that the request does not have. */
export function withAgentSettings(
  own: GenerationSettings,
  { providerOptions, ...requested }: GenerationSettings,
): GenerationSettings {
  const isSet = ([, value]: [string, unknown]) => value !== undefined
  return {
    ...own,
    ...Object.fromEntries(Object.entries(requested).filter(isSet)),
    providerOptions: byProvider(own.providerOptions, providerOptions),
  }
}

function byProvider(
  own: GenerationSettings['providerOptions'] = {},
  requested: GenerationSettings['providerOptions'] = {},
): GenerationSettings['providerOptions'] {
  const both = { ...own, ...requested }
  return Object.fromEntries(Object.keys(both).map((name) => [name, { ...own[name], ...requested[name] }]))
}
