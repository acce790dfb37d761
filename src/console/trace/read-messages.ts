import { isObject } from '../form/json-schema.ts'

/** A part of a message, as in the OpenTelemetry semantic conventions for GenAI. */
export interface MessagePart {
  readonly type: string
  readonly content?: unknown
  readonly name?: unknown
  readonly id?: unknown
  readonly arguments?: unknown
  readonly response?: unknown
}

export interface TracedMessage {
  readonly role: string
  readonly parts: readonly MessagePart[]
}

/** The JSON value of an attribute; the text itself when it is not JSON. */
export function readValue(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    // truncated when it was recorded, or not JSON
    return value
  }
}

/** The messages of an attribute; undefined when its value has another shape. */
export function readMessagesIn(value: unknown, role: string): readonly TracedMessage[] | undefined {
  const read = readValue(value)
  if (!Array.isArray(read)) return undefined
  const entries = (read as readonly unknown[]).filter(isObject)
  if (entries.length !== read.length || entries.length === 0) return undefined
  if (entries.every((entry) => 'role' in entry)) return entries.map((entry) => messageOf(entry))
  // system instructions are parts without a message
  return [{ role, parts: entries.map((entry) => partOf(entry)) }]
}

function messageOf(entry: Readonly<Record<string, unknown>>): TracedMessage {
  const { role, parts, content } = entry
  const all = Array.isArray(parts) ? parts : Array.isArray(content) ? content : [content]
  return {
    role: String(role),
    parts: (all as readonly unknown[]).map((part) =>
      isObject(part) ? partOf(part) : { type: 'text', content: part },
    ),
  }
}

function partOf(entry: Readonly<Record<string, unknown>>): MessagePart {
  const { type = 'text', content, text } = entry
  return { ...entry, type: String(type), content: content ?? text }
}
