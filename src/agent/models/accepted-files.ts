import type { ModelObject } from '../model-object.ts'
import type { ModelMessageLike, ModelPart } from './traced-messages.ts'

/** A model whose calls have a prompt, in every version of the model specification. */
type Call = { readonly prompt: readonly ModelMessageLike[] }
type Calls = Record<'doGenerate' | 'doStream', (call: Call) => unknown>

/**
 * Wraps a model so that files in tool results that its provider does not accept are replaced by a text. Packages of
 * providers would send them as base64 within JSON, or drop them.
 */
export function withAcceptedFiles(model: ModelObject): ModelObject {
  const accepts = accepted(model.provider)
  const inner = model as unknown as Calls
  const adapt = (call: Call): Call => {
    if (!call.prompt.some((message) => hasContentResult(message))) return call
    return { ...call, prompt: call.prompt.map((message) => adaptMessage(message, accepts)) }
  }
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (call: Call) => inner.doGenerate(adapt(call)),
    doStream: (call: Call) => inner.doStream(adapt(call)),
  } as unknown as ModelObject
}

type Accepts = (mediaType: string) => boolean

const ANY: Accepts = () => true
const NONE: Accepts = () => false
const IMAGES_AND_PDF: Accepts = (mediaType) =>
  /^(?:image\/(?:png|jpeg|gif|webp|\*)|application\/pdf)$/.test(mediaType)

/** The files that a provider of the AI SDK accepts in tool results. Those of the chat-completions protocol take none. */
function accepted(provider: string): Accepts {
  if (/^(?:google|vertex)(?!.*anthropic)/.test(provider)) return ANY
  if (/(?:anthropic|bedrock|\.responses$)/.test(provider)) return IMAGES_AND_PDF
  return /(?:\.chat|\.completion)$|^(?:groq|mistral|perplexity|cohere|deepseek|ollama)/.test(provider)
    ? NONE
    : ANY
}

interface ContentOutput {
  readonly type: 'content'
  readonly value: readonly ModelPart[]
}

function contentOf(part: ModelPart): readonly ModelPart[] | undefined {
  const output = part['output'] as Partial<ContentOutput> | undefined
  return part.type === 'tool-result' && output?.type === 'content' ? output.value : undefined
}

function hasContentResult({ content }: ModelMessageLike): boolean {
  return typeof content !== 'string' && content.some((part) => contentOf(part) !== undefined)
}

function adaptMessage(message: ModelMessageLike, accepts: Accepts): ModelMessageLike {
  const { content } = message
  if (typeof content === 'string') return message
  return { ...message, content: content.map((part) => adaptResult(part, accepts)) }
}

function adaptResult(part: ModelPart, accepts: Accepts): ModelPart {
  const content = contentOf(part)
  if (content === undefined) return part
  const value = content.map((one) =>
    isAccepted(one, accepts) ? one : { type: 'text', text: placeholder(one) },
  )
  // a list of texts would be sent as JSON by providers that take only text
  const output =
    accepts === NONE
      ? { type: 'text', value: value.map(({ text }) => String(text)).join('\n') }
      : { type: 'content', value }
  return { ...part, output }
}

function isAccepted(part: ModelPart, accepts: Accepts): boolean {
  const { type, mediaType } = part
  return type === 'text' || (accepts !== NONE && (typeof mediaType !== 'string' || accepts(mediaType)))
}

/** What the model reads instead of a file. */
function placeholder({ type, mediaType, data, url }: ModelPart): string {
  const kind = typeof mediaType === 'string' ? mediaType : type
  if (typeof url === 'string' && !url.startsWith('data:')) return `[${kind}: ${url}]`
  const size = typeof data === 'string' ? `, ${Buffer.byteLength(data, 'base64')} bytes` : ''
  return `[${kind}${size}: not shown, since this model does not accept such files from tools]`
}
