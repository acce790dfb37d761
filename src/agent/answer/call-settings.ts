import type { JSONValue } from 'ai'
import type { GenerationSettings } from '../generation-settings.ts'
import type { NamedTools } from '../loop-options.ts'

/** Settings of the model calls of one answer. Omitted ones are those of the agent. */
export interface CallSettings extends NamedTools, GenerationSettings {
  /** The maximum number of model calls. */
  readonly maxSteps?: number | undefined
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
export function sdkSettings(settings: GenerationSettings): Record<string, JSONValue> {
  const defined = SAMPLING.filter((name) => settings[name] !== undefined)
  return Object.fromEntries(defined.map((name) => [name, settings[name] as JSONValue]))
}

/** Provider options. Strict mode supports only part of JSON Schema, and answers are validated here anyway. */
export function sdkProviderOptions({ providerOptions = {} }: GenerationSettings) {
  const openaiCompatible = { strictJsonSchema: false, ...providerOptions['openaiCompatible'] }
  return { ...providerOptions, openaiCompatible } as Record<string, Record<string, JSONValue>>
}
