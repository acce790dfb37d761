import type { JSONValue, ToolResultPart } from 'ai'

type ModelOutput = ToolResultPart['output']
type ContentPart = Extract<ModelOutput, { type: 'content' }>['value'][number]

/**
 * A tool's result as the AI SDK sends it to the model: MCP content blocks become content parts, so that base64 never
 * counts as text; other results stay text or JSON.
 */
export function toModelOutput(result: unknown): ModelOutput {
  const parts = contentParts(result)
  if (parts !== undefined) return { type: 'content', value: parts }
  return typeof result === 'string'
    ? { type: 'text', value: result }
    : { type: 'json', value: (result ?? null) as JSONValue }
}

/** The parts of a result with MCP content; `undefined` for any other value. */
function contentParts(result: unknown): ContentPart[] | undefined {
  if (!isObject(result) || !Array.isArray(result['content']) || result['content'].length === 0)
    return undefined
  if (Object.keys(result).some((key) => !MEMBERS.has(key))) return undefined
  const { structuredContent } = result
  const parts = result['content'].map((block: unknown) => (isObject(block) ? toPart(block) : undefined))
  if (!parts.every((part) => part !== undefined)) return undefined
  return structuredContent === undefined
    ? parts
    : [{ type: 'text', text: JSON.stringify(structuredContent) }, ...parts]
}

const MEMBERS = new Set(['content', 'structuredContent', '_meta', 'isError'])

type Block = Readonly<Record<string, unknown>>

/** A content block of MCP (2025-11-25, server/tools). `undefined` for another value. */
function toPart(block: Block): ContentPart | undefined {
  const { type, text, data, mimeType, resource, uri, name } = block
  switch (type) {
    case 'text':
      return isText(text) ? { type, text } : undefined
    case 'image':
    case 'audio':
      return isText(data) && isText(mimeType) ? filePart(data, mimeType) : undefined
    case 'resource':
      return isObject(resource) ? resourcePart(resource) : undefined
    case 'resource_link':
      return isText(uri) ? { type: 'text', text: isText(name) ? `${name}: ${uri}` : uri } : undefined
    default:
      return undefined
  }
}

function resourcePart({ text, blob, mimeType }: Block): ContentPart | undefined {
  if (isText(text)) return { type: 'text', text }
  return isText(blob) ? filePart(blob, isText(mimeType) ? mimeType : 'application/octet-stream') : undefined
}

function filePart(data: string, mediaType: string): ContentPart {
  return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', data, mediaType }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
