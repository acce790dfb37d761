import { createHash } from 'node:crypto'
import type { ModelMessageLike, ModelPart } from '../../agent/models/traced-messages.ts'
import { isSecret } from '../../lib/redact/secret-name.ts'
import { REDACTED } from '../../lib/redact/redact-text.ts'

/** A call of a model: its options in version 2 or later of the model specification. */
export interface ModelCallOptions {
  readonly prompt: readonly ModelMessageLike[]
  readonly abortSignal?: AbortSignal | undefined
  readonly [option: string]: unknown
}

/** Options that do not change what a model answers, or that differ between `doGenerate` and `doStream`. */
const NOT_RECORDED: ReadonlySet<string> = new Set(['abortSignal', 'headers', 'includeRawChunks'])
const HASH_CHARACTERS = 12

/**
 * What identifies a call: prompt, tools and settings, as JSON with sorted keys and without secrets. Ids of tool calls,
 * and what providers added to earlier answers, are other ones whenever a model is asked again: ids are numbered in the
 * order in which they appear, and the rest is left out.
 */
export function callRecord(options: ModelCallOptions, redact: (text: string) => string): unknown {
  const { prompt, ...settings } = options
  const kept = Object.entries(settings).filter(([name]) => !NOT_RECORDED.has(name))
  const ids = new CallIds()
  const record = { ...Object.fromEntries(kept), prompt: prompt.map((message) => ids.number(message)) }
  return sortedJson(record, redact)
}

/** A short hash of what identifies a call. */
export function callHash(record: unknown): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, HASH_CHARACTERS)
}

/** A JSON copy with sorted keys, redacted strings, and hashes in place of bytes. */
export function sortedJson(value: unknown, redact: (text: string) => string, name = ''): unknown {
  if (typeof value === 'string') return isSecret(name, value) ? REDACTED : redact(value)
  if (value instanceof Uint8Array)
    return `${value.length} bytes, sha256 ${createHash('sha256').update(value).digest('hex')}`
  if (value instanceof URL || value instanceof RegExp) return redact(String(value))
  if (Array.isArray(value)) return value.map((item) => sortedJson(item, redact) ?? null)
  if (typeof value !== 'object' || value === null) return isJson(value) ? value : undefined
  if ('toJSON' in value && typeof value.toJSON === 'function') return sortedJson(value.toJSON(), redact, name)
  const members = Object.entries(value)
    .map(([key, member]) => [key, sortedJson(member, redact, key)] as const)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members)
}

function isJson(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** Numbers the ids of tool calls and of approvals in a prompt. */
class CallIds {
  readonly #numbers = new Map<unknown, string>()

  number(message: ModelMessageLike): unknown {
    const { content, ...rest } = message
    const isGiven = message.role === 'system' || message.role === 'user'
    if (isGiven || typeof content === 'string') return message
    const { providerOptions: _, ...kept } = rest as Record<string, unknown>
    return { ...kept, content: content.map((part) => this.#part(part)) }
  }

  #part({ providerOptions: _, ...part }: ModelPart): Record<string, unknown> {
    const numbered: Record<string, unknown> = { ...part }
    for (const name of ['toolCallId', 'approvalId'])
      if (name in numbered) numbered[name] = this.#numberOf(numbered[name])
    return numbered
  }

  #numberOf(id: unknown): string {
    const number = this.#numbers.get(id) ?? `call-${this.#numbers.size + 1}`
    this.#numbers.set(id, number)
    return number
  }
}
