import { formatPath, MAX_JSON_DEPTH } from './json-value.ts'
import type { JsonPath } from './json-value.ts'

/** A value that JSON can't represent. The message is `<path>: <reason>`: `result.when: a Date is not JSON`. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
  /** The path to the invalid value. */
  readonly path: JsonPath
  /** The reason without the path: `a Date is not JSON`. */
  readonly reason: string

  constructor(root: string, path: JsonPath, reason: string) {
    super(`${formatPath(root, path)}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

/**
 * Serializes a user's value to text that `parseJson` accepts. Object members that are `undefined` are omitted, as by
 * `JSON.stringify`, and `undefined` itself becomes `null`.
 *
 * @param root name of the value in error messages, such as `result`.
 * @throws NotJsonError for values that would be lost or changed: class instances, functions, symbols, bigints, `NaN`,
 *   `undefined` in an array, circular references, and more than 100 levels of nesting.
 */
export function toJson(value: unknown, root: string): string {
  if (value === undefined) return 'null'
  const fault = findFault(value, 0)
  if (fault === undefined) return JSON.stringify(value)
  const path = fault.keys.toReversed()
  const cycle = fault.reason === TOO_DEEP ? findCycle(value, path) : undefined
  throw cycle === undefined
    ? new NotJsonError(root, path, fault.reason)
    : new NotJsonError(root, cycle, 'a circular reference is not JSON')
}

/** An invalid value. `keys` is its path, innermost key first: it is collected on return, so that valid values cost nothing. */
interface Fault {
  readonly keys: (string | number)[]
  readonly reason: string
}

const TOO_DEEP = `nested deeper than ${MAX_JSON_DEPTH} levels`

function findFault(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : notJson(String(value))
  if (value === undefined) return notJson('undefined')
  if (typeof value !== 'object') return notJson(`a ${typeof value}`)
  if (depth === MAX_JSON_DEPTH) return { keys: [], reason: TOO_DEEP }
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return notJson(describe(value, 'an object with toJSON'))
  if (Array.isArray(value)) return findFaultInArray(value, depth + 1)
  if (!isPlain(value)) return notJson(describe(value, 'a class instance'))
  return findFaultInObject(value, depth + 1)
}

function findFaultInArray(array: readonly unknown[], depth: number): Fault | undefined {
  for (let index = 0; index < array.length; index++) {
    const fault = findFault(array[index], depth)
    if (fault !== undefined) return addKey(index, fault)
  }
  return undefined
}

function findFaultInObject(object: object, depth: number): Fault | undefined {
  for (const key of Object.keys(object)) {
    if (key === '__proto__') return { keys: [key], reason: 'the key "__proto__" is not allowed' }
    const member: unknown = Reflect.get(object, key)
    const fault = member === undefined ? undefined : findFault(member, depth)
    if (fault !== undefined) return addKey(key, fault)
  }
  return undefined
}

function addKey(key: string | number, fault: Fault): Fault {
  fault.keys.push(key)
  return fault
}

function notJson(kind: string): Fault {
  return { keys: [], reason: `${kind} is not JSON` }
}

/** Objects of other realms (`node:vm`) are plain too: their `Object.prototype` is another object, whose prototype is `null`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function describe(value: object, fallback: string): string {
  const name: unknown = value.constructor?.name
  if (isPlain(value) || Array.isArray(value) || typeof name !== 'string' || name === '') return fallback
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}

/** The shortest prefix of `path` that leads back to an object on the path. */
function findCycle(root: unknown, path: JsonPath): JsonPath | undefined {
  const seen = new Set<unknown>([root])
  let value = root
  for (const [index, key] of path.entries()) {
    if (typeof value === 'object' && value !== null) value = Reflect.get(value, key)
    if (seen.has(value)) return path.slice(0, index + 1)
    seen.add(value)
  }
  return undefined
}
