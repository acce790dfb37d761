import type { ModelObject, ProviderName } from '../model-object.ts'
import { ModelError } from './model-error.ts'
import { loadProjectPackage } from './load-package.ts'
import { openAiCompatible } from './openai-compatible.ts'

/** Environment variables in the form of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

interface ModelProvider {
  /** The variable that enables the provider. */
  readonly variable: 'OPENAI_API_KEY' | 'ANTHROPIC_API_KEY' | 'GOOGLE_GENERATIVE_AI_API_KEY' | 'OLLAMA_HOST'
  /** The model that is used when only the variable is set. */
  readonly defaultModelId: string
  /** The package that the project must have installed. */
  readonly package?: string
  readonly load: (modelId: string, options: LoadOptions) => Promise<ModelObject>
}

export interface LoadOptions {
  readonly env: Environment
  /** The directory that the project's packages are resolved from. */
  readonly projectDir: string
}

/** The providers by name, in order of precedence. */
export const PROVIDERS: Readonly<Record<ProviderName, ModelProvider>> = {
  openai: { variable: 'OPENAI_API_KEY', defaultModelId: 'gpt-4.1-mini', load: loadOpenAi },
  anthropic: {
    variable: 'ANTHROPIC_API_KEY',
    defaultModelId: 'claude-haiku-4-5',
    package: '@ai-sdk/anthropic',
    load: loadAnthropic,
  },
  google: {
    variable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    defaultModelId: 'gemini-2.5-flash',
    package: '@ai-sdk/google',
    load: loadGoogle,
  },
  ollama: { variable: 'OLLAMA_HOST', defaultModelId: 'llama3.2', load: loadOllama },
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

function readKey(env: Environment, name: string): string | undefined {
  const value = readVariable(env, name)
  return value === undefined || PLACEHOLDER.test(value) ? undefined : value
}

function requireKey(env: Environment, provider: ProviderName, modelId: string): string {
  const { variable } = PROVIDERS[provider]
  const key = readKey(env, variable)
  if (key !== undefined) return key
  throw new ModelError(
    'unavailable',
    `The model "${provider}/${modelId}" needs ${variable}, which is not set`,
    {
      hint: `Set ${variable} in the environment or in .env`,
    },
  )
}

const OPENAI_URL = 'https://api.openai.com/v1'

async function loadOpenAi(modelId: string, { env }: LoadOptions): Promise<ModelObject> {
  const { baseURL: baseUrl } = baseUrlOf(env, 'OPENAI_BASE_URL')
  // self-hosted servers often need no key
  const key = baseUrl === undefined ? requireKey(env, 'openai', modelId) : readKey(env, 'OPENAI_API_KEY')
  return openAiCompatible({ name: 'openai', baseUrl: baseUrl ?? OPENAI_URL, key }, modelId)
}

async function loadOllama(modelId: string, { env }: LoadOptions): Promise<ModelObject> {
  const baseUrl = `${ollamaUrl(readVariable(env, 'OLLAMA_HOST') ?? '127.0.0.1')}/v1`
  return openAiCompatible({ name: 'ollama', baseUrl, key: undefined }, modelId)
}

/** Parses `OLLAMA_HOST` like Ollama: a host, `host:port` or a URL. The listen address 0.0.0.0 becomes loopback. */
function ollamaUrl(host: string): string {
  const hasScheme = /^https?:\/\//i.test(host)
  let url: URL
  try {
    url = new URL(hasScheme ? host : `http://${host}`)
  } catch (error) {
    throw new ModelError('invalid_config', 'OLLAMA_HOST must be a host, host:port or a URL', { cause: error })
  }
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !hasScheme) url.port = '11434'
  return url.href.replace(/\/+$/, '')
}

type Factory = (settings: Record<string, unknown>) => (modelId: string) => ModelObject

interface AnthropicPackage {
  readonly createAnthropic: Factory
}

interface GooglePackage {
  readonly createGoogleGenerativeAI: Factory
}

async function loadAnthropic(modelId: string, { env, projectDir }: LoadOptions): Promise<ModelObject> {
  const apiKey = requireKey(env, 'anthropic', modelId)
  const { createAnthropic } = await loadProjectPackage<AnthropicPackage>('@ai-sdk/anthropic@3', projectDir)
  const { baseURL } = baseUrlOf(env, 'ANTHROPIC_BASE_URL')
  return createAnthropic({ apiKey, ...(baseURL !== undefined && { baseURL: withVersion(baseURL) }) })(modelId)
}

async function loadGoogle(modelId: string, { env, projectDir }: LoadOptions): Promise<ModelObject> {
  const apiKey = requireKey(env, 'google', modelId)
  const { createGoogleGenerativeAI } = await loadProjectPackage<GooglePackage>('@ai-sdk/google@3', projectDir)
  return createGoogleGenerativeAI({ apiKey, ...baseUrlOf(env, 'GOOGLE_GENERATIVE_AI_BASE_URL') })(modelId)
}

/** ANTHROPIC_BASE_URL has no path by convention; the AI SDK's package expects one with the version. */
function withVersion(baseUrl: string): string {
  const isBare = URL.canParse(baseUrl) && new URL(baseUrl).pathname === '/'
  return isBare ? new URL('/v1', baseUrl).href : baseUrl
}

function baseUrlOf(env: Environment, name: string): { readonly baseURL?: string } {
  const baseURL = readVariable(env, name)
  if (baseURL === undefined) return {}
  if (/^https?:\/\//i.test(baseURL) && URL.canParse(baseURL)) return { baseURL }
  throw new ModelError('invalid_config', `${name} must be a URL that begins with http:// or https://`)
}
