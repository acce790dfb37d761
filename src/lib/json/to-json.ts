import { formatPath } from './json-path.ts'
import { MAX_JSON_DEPTH } from './json-value.ts'

/** A value that JSON cannot carry. `message` is `<path>: <reason>`, as `result.when: a Date is not JSON`. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
  /** Where in the value it is: property names and array indexes. */
  readonly path: readonly (string | number)[]
  /** What is wrong there, as `a Date is not JSON`. */
  readonly reason: string

  constructor(root: string, path: readonly (string | number)[], reason: string) {
    super(`${formatPath(root, path)}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

/**
 * Serialises a user's value. Object members that are `undefined` are left out, as `JSON.stringify` does; a
 * value that is `undefined` itself becomes `null`. Whatever it returns, `parseJson` reads.
 *
 * @param root what the value is called in error messages, as `result`.
 * @throws NotJsonError for anything else that would not survive: class instances, functions, symbols, bigints,
 *   `NaN`, `undefined` in an array, a cycle, or over 100 levels of nesting.
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

/** What was found wrong; `keys` lead to it, innermost first, and are collected on the way out only. */
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
    if (fault !== undefined) return within(index, fault)
  }
  return undefined
}

function findFaultInObject(object: object, depth: number): Fault | undefined {
  for (const key of Object.keys(object)) {
    if (key === '__proto__') return { keys: [key], reason: 'the key "__proto__" is not allowed' }
    const member: unknown = Reflect.get(object, key)
    const fault = member === undefined ? undefined : findFault(member, depth)
    if (fault !== undefined) return within(key, fault)
  }
  return undefined
}

function within(key: string | number, fault: Fault): Fault {
  fault.keys.push(key)
  return fault
}

function notJson(what: string): Fault {
  return { keys: [], reason: `${what} is not JSON` }
}

/** Plain objects of other realms count too: theirs is another `Object.prototype`, but it is the last one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function describe(value: object, otherwise: string): string {
  const name: unknown = value.constructor?.name
  if (isPlain(value) || Array.isArray(value) || typeof name !== 'string' || name === '') return otherwise
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}

/** The shortest part of `path` that leads back into an object it came through. */
function findCycle(root: unknown, path: readonly (string | number)[]): (string | number)[] | undefined {
  const seen = new Set<unknown>([root])
  let value = root
  for (const [index, key] of path.entries()) {
    if (typeof value === 'object' && value !== null) value = Reflect.get(value, key)
    if (seen.has(value)) return path.slice(0, index + 1)
    seen.add(value)
  }
  return undefined
}
