import { REDACTED } from './redact-text.ts'
import { isSecret } from './secret-name.ts'
import { toPlain } from './to-plain.ts'

/** The largest copy of a value. Omitted parts are marked in the copy. */
interface CopyLimits {
  readonly depth: number
  readonly nodes: number
  /** Of one array or object. */
  readonly keys: number
  readonly chars: number
  /** Characters of one string. */
  readonly string: number
  /** Characters of one key. */
  readonly key: number
}

/** Limits of a recorded value. */
const RECORDED: CopyLimits = { depth: 12, nodes: 2000, keys: 200, chars: 65_536, string: 16_384, key: 256 }

/** A copy of the whole value, which must be JSON. */
export const UNLIMITED: CopyLimits = {
  depth: Infinity,
  nodes: Infinity,
  keys: Infinity,
  chars: Infinity,
  string: Infinity,
  key: Infinity,
}

/**
 * Returns a JSON-compatible copy of any value, limited in size and without secrets. Never throws: unreadable parts are
 * replaced by a description.
 */
export function redactValue(value: unknown, text: (text: string) => string, limits = RECORDED): unknown {
  return new Copy(text, limits).of(value, 0)
}

class Copy {
  readonly #text: (text: string) => string
  readonly #limits: CopyLimits
  readonly #ancestors = new Set<object>()
  #nodes = 0
  #chars = 0

  constructor(text: (text: string) => string, limits: CopyLimits) {
    this.#text = text
    this.#limits = limits
  }

  of(value: unknown, depth: number): unknown {
    if (++this.#nodes > this.#limits.nodes) return '[…]'
    switch (typeof value) {
      case 'string':
        return this.#string(value)
      case 'number':
        return Number.isFinite(value) ? value : String(value)
      case 'boolean':
      case 'undefined':
        return value
      case 'bigint':
        return this.#string(String(value))
      case 'symbol':
        return this.#string(String(value))
      case 'function':
        return '[Function]'
      case 'object':
        return value === null ? null : this.#guarded(value, depth)
    }
  }

  #string(full: string): string {
    const { string: most, chars } = this.#limits
    const available = Math.max(0, Math.min(most, chars - this.#chars))
    // truncated after the redaction: half of a secret would not be recognized
    const safe = this.#text(full.length > 2 * most ? full.slice(0, 2 * most) : full)
    const kept = safe.length > available ? `${safe.slice(0, available)}…` : safe
    this.#chars += kept.length
    return kept
  }

  /** Getters and proxies may throw. */
  #guarded(value: object, depth: number): unknown {
    if (this.#ancestors.has(value)) return '[Circular]'
    if (depth >= this.#limits.depth) return Array.isArray(value) ? '[Array]' : '[Object]'
    this.#ancestors.add(value)
    try {
      return this.#object(toPlain(value), depth)
    } catch {
      // an object that throws on access has nothing else to record
      return '[unreadable]'
    } finally {
      this.#ancestors.delete(value)
    }
  }

  #object(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return this.of(value, depth)
    return Array.isArray(value) ? this.#items(value, depth) : this.#members(value, depth)
  }

  #items(items: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = []
    for (let index = 0; index < items.length; index++) {
      if (this.#isFull(index)) return [...kept, `[… ${items.length - index} more]`]
      kept.push(this.#read(items, index, depth))
    }
    return kept
  }

  #members(object: object, depth: number): object {
    const kept: Record<string, unknown> = {}
    const keys = Object.keys(object)
    for (const [index, key] of keys.entries()) {
      if (this.#isFull(index)) return Object.assign(kept, { '…': `${keys.length - index} more` })
      this.#chars += key.length
      define(kept, this.#text(key.slice(0, this.#limits.key)), this.#read(object, key, depth))
    }
    return kept
  }

  #isFull(index: number): boolean {
    const { keys, nodes, chars } = this.#limits
    return index >= keys || this.#nodes >= nodes || this.#chars >= chars
  }

  #read(object: object, key: string | number, depth: number): unknown {
    let value: unknown
    try {
      value = Reflect.get(object, key)
    } catch {
      // the getter threw
      return '[unreadable]'
    }
    return typeof key === 'string' && this.#isSecret(key, value) ? REDACTED : this.of(value, depth + 1)
  }

  #isSecret(name: string, value: unknown): boolean {
    try {
      return isSecret(name, value)
    } catch {
      // an unreadable value is treated as a secret
      return true
    }
  }
}

/** Defines a member, since an assignment to `__proto__` would set the prototype. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}
