/** A part of a message, of a model or of the API, as JSON. */
export type MessagePart = Readonly<Record<string, unknown>>

export function isPart(value: unknown): value is MessagePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A part of a stored message as a part of a UIMessage; `undefined` for those of tools, and parts that no page can show. */
export function uiPart(part: MessagePart): MessagePart | undefined {
  const { type, text } = part
  switch (type) {
    case 'text':
      return { type, text, ...metadata(part) }
    case 'reasoning':
      return { type, text, state: 'done', ...metadata(part) }
    case 'file':
    case 'image':
      return filePart(part)
    case 'reasoning-file': {
      const file = filePart(part)
      return file && { ...file, type }
    }
    case 'custom':
      return { type, kind: part['kind'], ...metadata(part) }
    default:
      return undefined
  }
}

/** Version 6 of the AI SDK has one name for model messages and another for UIMessages. */
export function metadata({ providerOptions }: MessagePart): MessagePart {
  return providerOptions === undefined ? {} : { providerMetadata: providerOptions }
}

function filePart(part: MessagePart): MessagePart | undefined {
  const { filename, mediaType = part['type'] === 'image' ? 'image/*' : 'application/octet-stream' } = part
  const source = sourceOf(part['data'] ?? part['image'], String(mediaType))
  if (!source) return undefined
  return {
    type: 'file',
    mediaType,
    ...(filename !== undefined && { filename }),
    ...source,
    ...metadata(part),
  }
}

/** The data of a file: a URL, base64, or in version 7 of the AI SDK an object with one of these. */
function sourceOf(data: unknown, mediaType: string): MessagePart | undefined {
  if (typeof data === 'string') return { url: urlOf(data, mediaType) }
  if (!isPart(data)) return undefined
  if (isPart(data['reference'])) return { url: '', providerReference: data['reference'] }
  return sourceOf(data['url'] ?? data['data'], mediaType)
}

function urlOf(data: string, mediaType: string): string {
  return /^(?:https?|data|blob|file):/i.test(data) ? data : `data:${mediaType};base64,${data}`
}
