import type { JSONValue } from 'ai'

/** What a caller may decide about the model's calls; what is left out is the agent's or the provider's choice. */
export interface CallSettings {
  /** How often the model may be called for this answer. */
  readonly maxSteps?: number | undefined
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly seed?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  /** Options of single providers, by the provider's name. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

const SAMPLING = ['temperature', 'maxOutputTokens', 'topP', 'topK', 'seed', 'stopSequences'] as const

/** The settings as the AI SDK takes them. */
export function sdkSettings(settings: CallSettings): Record<string, JSONValue> {
  const given = SAMPLING.filter((name) => settings[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, settings[name] as JSONValue]))
}

/** Options for providers; strict mode knows only part of JSON Schema, and answers are checked here anyway. */
export function sdkProviderOptions({ providerOptions = {} }: CallSettings) {
  const own = { strictJsonSchema: false, ...providerOptions['openaiCompatible'] }
  return { ...providerOptions, openaiCompatible: own } as Record<string, Record<string, JSONValue>>
}
