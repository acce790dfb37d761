import { AppError } from '../errors.ts'
import { MAX_JSON_DEPTH } from './json-value.ts'
import type { JsonValue } from './json-value.ts'

export interface ParseJsonOptions {
  /** Maximum nesting of arrays and objects: a string has depth 0, `[]` has depth 1. Default: 100. */
  readonly maxDepth?: number
}

/**
 * Parses untrusted JSON text.
 *
 * @throws AppError `invalid_input` when the text is not JSON, exceeds the maximum nesting, or contains an object with
 *   the key `__proto__`, escaped or not. The message never quotes the text.
 */
export function parseJson(text: string, { maxDepth = MAX_JSON_DEPTH }: ParseJsonOptions = {}): JsonValue {
  const value = parse(text)
  if (mayExceedDepth(text, maxDepth) || mayContainProto(text)) assertAllowed(value, maxDepth)
  return value
}

function parse(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch (error) {
    // no cause: V8's message quotes the text, which may contain secrets
    throw invalid(reasonOf(error))
  }
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^Unexpected end/, 'unexpected end'],
  [/^Unexpected non-whitespace/, 'unexpected text after the value'],
  [/^Unterminated string/, 'unterminated string'],
  [/^Bad control character/, 'unescaped control character in a string'],
  [/^Bad (?:escaped character|Unicode escape)/, 'bad escape in a string'],
  [/^Expected property name/, 'expected a property name in double quotes'],
  [/^Expected double-quoted property name/, 'expected a property name in double quotes'],
  [/^Expected ':'/, 'expected ":" after a property name'],
  [/^Expected ',' or '}'/, 'expected "," or "}" after a property value'],
  [/^Expected ',' or ']'/, 'expected "," or "]" after an array element'],
  [/^(?:No number|Exponent part|Unterminated fractional|Unexpected number)/, 'malformed number'],
]

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const known = REASONS.find(([pattern]) => pattern.test(message))
  if (known !== undefined) return known[1]
  const token = /^Unexpected token '?([!-~])/.exec(message)?.[1]
  return token === undefined ? 'unexpected character' : `unexpected character ${token}`
}

function invalid(reason: string): AppError {
  return new AppError('invalid_input', `Invalid JSON: ${reason}`)
}

/** Whether the text has enough brackets to exceed the depth. Most request bodies don't, and skip the walk. */
function mayExceedDepth(text: string, maxDepth: number): boolean {
  if (text.length <= 2 * maxDepth) return false
  return count(text, '[', maxDepth + 1) + count(text, '{', maxDepth + 1) > maxDepth
}

function count(text: string, character: string, enough: number): number {
  let found = 0
  let at = text.indexOf(character)
  while (at !== -1 && ++found < enough) at = text.indexOf(character, at + 1)
  return found
}

/** JSON has no short escape (RFC 8259, section 7) for a character of this key: it is written plainly or with `\u`. */
function mayContainProto(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u')
}

/** Checks the value level by level instead of recursively, since deep nesting would overflow the stack. */
function assertAllowed(root: JsonValue, maxDepth: number): void {
  let level = isContainer(root) ? [root] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) throw invalid(`nested deeper than ${maxDepth} levels`)
    level = containersIn(level)
  }
}

type Container = JsonValue[] | { [key: string]: JsonValue }

function containersIn(level: readonly Container[]): Container[] {
  const found: Container[] = []
  for (const container of level) {
    if (!Array.isArray(container) && Object.hasOwn(container, '__proto__')) {
      throw invalid('the key "__proto__" is not allowed')
    }
    for (const value of Array.isArray(container) ? container : Object.values(container)) {
      if (isContainer(value)) found.push(value)
    }
  }
  return found
}

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null
}
