/**
 * Converts an object of a built-in class to a value that JSON can represent. Returns plain objects and arrays unchanged.
 * May throw errors of the object's own code.
 */
export function toPlain(value: object): unknown {
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

/** One more than the members that are recorded, so that the copy is marked as truncated. */
const MAX_ENTRIES = 201

function* take<T>(items: Iterable<T>): Generator<T> {
  let count = 0
  for (const item of items) {
    if (++count > MAX_ENTRIES) return
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

/** The standard members of an error, which are not enumerable, and then its own enumerable members. */
function errorParts(error: Error): object {
  const { name, message, stack, cause } = error
  const own: [string, unknown][] = Object.entries(error)
  const aggregated = error instanceof AggregateError ? { errors: error.errors as unknown } : {}
  return {
    type: String(name),
    message: String(message),
    ...(stack !== undefined && { stack: String(stack) }),
    ...(cause !== undefined && { cause }),
    ...aggregated,
    ...Object.fromEntries(own.filter(([key]) => !ERROR_PARTS.has(key))),
  }
}

const ERROR_PARTS = new Set(['name', 'type', 'message', 'stack', 'cause', 'errors'])

function jsonOf(value: object): unknown {
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson !== 'function') return value
  const json: unknown = toJson.call(value, '')
  return json === value ? { ...value } : json
}

function describe(value: object): string {
  return Object.prototype.toString.call(value)
}
