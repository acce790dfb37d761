import type { ProviderName } from '../model-object.ts'

/** Environment variables in the form of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

interface ModelProvider {
  /** The variable that enables the provider. */
  readonly variable: 'OPENAI_API_KEY' | 'ANTHROPIC_API_KEY' | 'GOOGLE_GENERATIVE_AI_API_KEY' | 'OLLAMA_HOST'
  /** The model that is used when only the variable is set. */
  readonly defaultModelId: string
  /** The package that the project must have installed. */
  readonly package?: string
}

/** The providers by name, in order of precedence. */
export const PROVIDERS: Readonly<Record<ProviderName, ModelProvider>> = {
  openai: { variable: 'OPENAI_API_KEY', defaultModelId: 'gpt-4.1-mini' },
  anthropic: {
    variable: 'ANTHROPIC_API_KEY',
    defaultModelId: 'claude-haiku-4-5',
    package: '@ai-sdk/anthropic',
  },
  google: {
    variable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    defaultModelId: 'gemini-2.5-flash',
    package: '@ai-sdk/google',
  },
  ollama: { variable: 'OLLAMA_HOST', defaultModelId: 'llama3.2' },
}

/** Whether `name` is a known provider. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name)
}

/** The trimmed value of a variable; `undefined` when it is blank. */
export function readVariable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined
}

/** Whether the provider's variable is set and not a placeholder. */
export function isConfigured(provider: ProviderName, env: Environment): boolean {
  return readKey(env, PROVIDERS[provider].variable) !== undefined
}

const PLACEHOLDER_WORDS = [
  String.raw`[x*.…-]+`,
  String.raw`your[-_ ].*|your(?:api)?key.*|my[-_ ](?:api[-_ ]?)?key.*`,
  String.raw`change[-_ ]?me.*|replace[-_ ].*|insert[-_ ].*|placeholder|todo`,
]
/** Placeholders of templates: `sk-...`, `your-key-here`, `changeme`, `<key>`, `xxx`. */
const PLACEHOLDER = new RegExp(
  String.raw`^<.*>$|(?:\.{3}|…)$|^(?:sk-|pk-|key-)?(?:proj-|ant-)?(?:${PLACEHOLDER_WORDS.join('|')})$`,
  'i',
)

/** The trimmed value of a variable; `undefined` when it is blank or a placeholder. */
export function readKey(env: Environment, name: string): string | undefined {
  const value = readVariable(env, name)
  return value === undefined || PLACEHOLDER.test(value) ? undefined : value
}
