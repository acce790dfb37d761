/**
 * What is to be shown of an object: plain objects and arrays as they are, others as something JSON has a form
 * for. Throws what the object's own code throws.
 */
export function unwrap(value: object): unknown {
  if (Array.isArray(value)) return value
  if (value instanceof Error) return errorParts(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof Map) return fromEntries(value)
  if (value instanceof Set) return [...take(value)]
  if (value instanceof Headers || value instanceof URLSearchParams) return fromEntries(value)
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[ArrayBuffer of ${value.byteLength} bytes]`
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) return describe(value)
  return jsonOf(value)
}

const MOST_ENTRIES = 201

function* take<T>(items: Iterable<T>): Generator<T> {
  let count = 0
  for (const item of items) {
    if (++count > MOST_ENTRIES) return
    yield item
  }
}

function fromEntries(entries: Iterable<readonly [unknown, unknown]>): object {
  const pairs = [...take(entries)].map(([key, value]): [string, unknown] => [keyOf(key), value])
  return Object.fromEntries(pairs)
}

function keyOf(key: unknown): string {
  return typeof key === 'object' && key !== null ? describe(key) : String(key)
}

/** The members that are not enumerable come first; whatever user code hung on it follows. */
function errorParts(error: Error): object {
  const { name, message, stack, cause } = error
  const own: [string, unknown][] = Object.entries(error)
  const several = error instanceof AggregateError ? { errors: error.errors as unknown } : {}
  return {
    type: String(name),
    message: String(message),
    ...(stack !== undefined && { stack: String(stack) }),
    ...(cause !== undefined && { cause }),
    ...several,
    ...Object.fromEntries(own.filter(([key]) => !ERROR_PARTS.has(key))),
  }
}

const ERROR_PARTS = new Set(['name', 'type', 'message', 'stack', 'cause', 'errors'])

function jsonOf(value: object): unknown {
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson !== 'function') return value
  const given: unknown = toJson.call(value, '')
  return given === value ? { ...value } : given
}

function describe(value: object): string {
  return Object.prototype.toString.call(value)
}
