import { REDACTED } from './redact-text.ts'
import { isSecret } from './secret-name.ts'
import { unwrap } from './unwrap.ts'

/** The most that is kept of one value. What is left out says so. */
const MAX_DEPTH = 12
const MAX_NODES = 2000
const MAX_KEYS = 200
const MAX_CHARS = 65_536
const MAX_STRING = 16_384

/**
 * A copy of any value that JSON can carry, bounded in size, without secrets. Never throws: what can't be read
 * or written says what it was.
 */
export function redactValue(value: unknown, text: (text: string) => string): unknown {
  return new Copy(text).of(value, 0)
}

class Copy {
  readonly #text: (text: string) => string
  readonly #within = new Set<object>()
  #nodes = 0
  #chars = 0

  constructor(text: (text: string) => string) {
    this.#text = text
  }

  of(value: unknown, depth: number): unknown {
    if (++this.#nodes > MAX_NODES) return '[…]'
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

  #string(whole: string): string {
    const room = Math.max(0, Math.min(MAX_STRING, MAX_CHARS - this.#chars))
    // cut after the secrets are out, so that none is left in half
    const safe = this.#text(whole.length > 2 * MAX_STRING ? whole.slice(0, 2 * MAX_STRING) : whole)
    const kept = safe.length > room ? `${safe.slice(0, room)}…` : safe
    this.#chars += kept.length
    return kept
  }

  /** Getters and proxies of others may throw whatever they like. */
  #guarded(value: object, depth: number): unknown {
    if (this.#within.has(value)) return '[Circular]'
    if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[Array]' : '[Object]'
    this.#within.add(value)
    try {
      return this.#object(unwrap(value), depth)
    } catch {
      // the object itself is what fails; that it can't be read is all there is to record
      return '[unreadable]'
    } finally {
      this.#within.delete(value)
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
      define(kept, this.#text(key.slice(0, 256)), this.#read(object, key, depth))
    }
    return kept
  }

  #isFull(index: number): boolean {
    return index >= MAX_KEYS || this.#nodes >= MAX_NODES || this.#chars >= MAX_CHARS
  }

  #read(object: object, key: string | number, depth: number): unknown {
    let value: unknown
    try {
      value = Reflect.get(object, key)
    } catch {
      // a getter that throws has no value to show
      return '[unreadable]'
    }
    return typeof key === 'string' && this.#isSecret(key, value) ? REDACTED : this.of(value, depth + 1)
  }

  #isSecret(name: string, value: unknown): boolean {
    try {
      return isSecret(name, value)
    } catch {
      // a value that can't even be looked at stays hidden
      return true
    }
  }
}

/** Also a member called `__proto__` is only a member. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}
