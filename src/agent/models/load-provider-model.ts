import type { ModelObject, ProviderName } from '../model-object.ts'
import { loadProjectPackage } from './load-package.ts'
import { ModelError } from './model-error.ts'
import { PROVIDERS, readKey, readVariable } from './model-provider.ts'
import type { Environment } from './model-provider.ts'
import { openAiCompatible } from './openai-compatible.ts'

export interface LoadOptions {
  readonly env: Environment
  /** The directory that the project's packages are resolved from. */
  readonly projectDir: string
}

const LOADERS: Readonly<
  Record<ProviderName, (modelId: string, options: LoadOptions) => Promise<ModelObject>>
> = {
  openai: loadOpenAi,
  anthropic: loadAnthropic,
  google: loadGoogle,
  ollama: loadOllama,
}

/**
 * Loads a model of a provider.
 *
 * @throws AppError `unavailable` when the key or the package of the provider is missing; `invalid_config` when one of its
 *   environment variables is malformed.
 */
export function loadProviderModel(
  provider: ProviderName,
  modelId: string,
  options: LoadOptions,
): Promise<ModelObject> {
  return LOADERS[provider](modelId, options)
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
