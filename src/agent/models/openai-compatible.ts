import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ModelObject } from '../model-object.ts'

export interface Endpoint {
  /** The provider's name. */
  readonly name: string
  readonly baseUrl: string
  readonly key: string | undefined
}

/** A model behind the chat-completions protocol. */
export async function openAiCompatible(endpoint: Endpoint, modelId: string): Promise<ModelObject> {
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

/** OpenAI itself, and Microsoft's hosting of it. */
export function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && /(?:^|\.)(?:openai|openai\.azure)\.com$/.test(new URL(baseUrl).hostname)
}

/** `o1`, `o4-mini`, `gpt-5`, also behind a gateway's prefix; the chat variants of gpt-5 don't reason. */
const REASONING = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d{2,})(?![\w.-]*chat)|codex)/i

/**
 * What models that reason refuse is left out or called otherwise, and OpenAI's other models take the new name as
 * well; other servers know the old one.
 */
export function wireBody(
  body: Readonly<Record<string, unknown>>,
  { modelId, isOpenAi }: { modelId: string; isOpenAi: boolean },
): Record<string, unknown> {
  const reasons = REASONING.test(modelId)
  const { max_tokens: most, ...rest } = body
  const sent = reasons ? withoutSampling(rest) : rest
  if (most === undefined) return sent
  return { ...sent, [reasons || isOpenAi ? 'max_completion_tokens' : 'max_tokens']: most }
}

function withoutSampling(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { temperature: _temperature, top_p: _topP, stop: _stop, ...rest } = body
  return rest
}

/** The protocol has no `top_k`, but most servers other than OpenAI take it. */
function withTopK(model: LanguageModelV3, name: string): LanguageModelV3 {
  const passedOn = ({ topK, ...call }: LanguageModelV3CallOptions): LanguageModelV3CallOptions => {
    if (topK === undefined) return call
    const own = { top_k: topK, ...call.providerOptions?.[name] }
    return { ...call, providerOptions: { ...call.providerOptions, [name]: own } }
  }
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(passedOn(call)),
    doStream: (call) => model.doStream(passedOn(call)),
  }
}
