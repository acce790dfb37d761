import type { JSONValue } from 'ai'
import type { NamedTools } from '../loop-options.ts'

/** Settings of the model calls of one answer. Omitted settings use the agent's or the provider's default. */
export interface CallSettings extends NamedTools {
  /** The maximum number of model calls. */
  readonly maxSteps?: number | undefined
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  /** Provider-specific options, by provider name. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

const SAMPLING = [
  'temperature',
  'maxOutputTokens',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'stopSequences',
] as const

/** The sampling settings that are defined, as parameters of the AI SDK. */
export function sdkSettings(settings: CallSettings): Record<string, JSONValue> {
  const defined = SAMPLING.filter((name) => settings[name] !== undefined)
  return Object.fromEntries(defined.map((name) => [name, settings[name] as JSONValue]))
}

/** Provider options. Strict mode supports only part of JSON Schema, and answers are validated here anyway. */
export function sdkProviderOptions({ providerOptions = {} }: CallSettings) {
  const openaiCompatible = { strictJsonSchema: false, ...providerOptions['openaiCompatible'] }
  return { ...providerOptions, openaiCompatible } as Record<string, Record<string, JSONValue>>
}
