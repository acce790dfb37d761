import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ModelObject } from '../model-object.ts'

export interface OpenAiEndpoint {
  /** The provider's name. */
  readonly name: string
  readonly baseUrl: string
  readonly key: string | undefined
}

/** Creates a model that uses the chat-completions protocol. */
export async function openAiCompatible(endpoint: OpenAiEndpoint, modelId: string): Promise<ModelObject> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { name, baseUrl, key } = endpoint
  const provider = createOpenAICompatible({
    name,
    baseURL: baseUrl,
    ...(key === undefined ? {} : { apiKey: key }),
    includeUsage: true,
    supportsStructuredOutputs: true,
    transformRequestBody: (body) => wireBody(body, { modelId, isOpenAi: isOpenAi(baseUrl) }),
  })
  const model = provider.chatModel(modelId)
  return isOpenAi(baseUrl) ? model : withTopK(model, name)
}

/** Whether the server is OpenAI or Azure OpenAI. */
export function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && /(?:^|\.)(?:openai|openai\.azure)\.com$/.test(new URL(baseUrl).hostname)
}

/** Reasoning models: `o1`, `o4-mini`, `gpt-5`, also with a gateway's prefix; not the chat variants of gpt-5. */
const REASONING = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d{2,})(?![\w.-]*chat)|codex)/i

/**
 * Adapts a request body. Reasoning models reject sampling options and `max_tokens`; they are sent
 * `max_completion_tokens`, which all models of OpenAI accept. Other servers expect `max_tokens`.
 */
export function wireBody(
  body: Readonly<Record<string, unknown>>,
  { modelId, isOpenAi }: { modelId: string; isOpenAi: boolean },
): Record<string, unknown> {
  const reasons = REASONING.test(modelId)
  const { max_tokens: maxTokens, ...rest } = body
  const sent = reasons ? withoutSampling(rest) : rest
  if (maxTokens === undefined) return sent
  return { ...sent, [reasons || isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens }
}

function withoutSampling(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { temperature: _temperature, top_p: _topP, stop: _stop, ...rest } = body
  return rest
}

/** Sends `top_k`, which is not part of the protocol, but accepted by most servers other than OpenAI. */
function withTopK(model: LanguageModelV3, name: string): LanguageModelV3 {
  const withExtension = ({ topK, ...call }: LanguageModelV3CallOptions): LanguageModelV3CallOptions => {
    if (topK === undefined) return call
    const own = { top_k: topK, ...call.providerOptions?.[name] }
    return { ...call, providerOptions: { ...call.providerOptions, [name]: own } }
  }
  return {
    // with its settings, which show the server
    ...model,
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(withExtension(call)),
    doStream: (call) => model.doStream(withExtension(call)),
  }
}
