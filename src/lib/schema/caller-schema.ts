import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import { NotJsonError, toJson } from '../json/to-json.ts'
import { isSchemaObject } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { compileUntrusted } from './schema.ts'

/** The limits of a JSON Schema that a caller sends. Compiling blocks the process for about 3 ms per kilobyte. */
const MAX_BYTES = 32_768
const MAX_PATTERNS = 200
/** Compiled schemas that are kept. */
const MAX_CACHED = 100

/** The schemas by the hash of their JSON, the least recently used first. */
const cache = new Map<string, JsonSchema>()

/**
 * Checks a JSON Schema that a caller sent, and compiles it within limits of size, patterns and time. Returns the same
 * object for equal schemas, so that each is compiled once.
 *
 * @throws AppError `invalid_input` when it exceeds a limit or is not a valid JSON Schema.
 */
export function readCallerSchema(source: JsonSchema): JsonSchema {
  const json = jsonOf(source)
  const bytes = Buffer.byteLength(json)
  if (bytes > MAX_BYTES) throw invalid(`${bytes} bytes long; the maximum is ${MAX_BYTES}`)
  const hash = createHash('sha256').update(json).digest('base64')
  const schema = cache.get(hash) ?? compiled(source)
  cache.delete(hash)
  cache.set(hash, schema)
  const [oldest] = cache.keys()
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  return schema
}

function jsonOf(source: JsonSchema): string {
  try {
    return toJson(source, 'schema')
  } catch (error) {
    if (error instanceof NotJsonError) throw invalid(error.message)
    throw error
  }
}

function compiled(schema: JsonSchema): JsonSchema {
  const patterns = countPatterns(schema)
  if (patterns > MAX_PATTERNS) throw invalid(`has ${patterns} patterns; the maximum is ${MAX_PATTERNS}`)
  try {
    compileUntrusted(schema)
    return schema
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'invalid_config') throw cause
    throw new AppError('invalid_input', `schema: ${cause.message}`, { cause })
  }
}

function invalid(reason: string): AppError {
  return new AppError('invalid_input', `schema: ${reason}`)
}

/** The number of regular expressions: `pattern`, and the keys of `patternProperties`. */
function countPatterns(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + countPatterns(item), 0)
  if (!isSchemaObject(schema)) return 0
  const { pattern, patternProperties } = schema
  const own =
    (typeof pattern === 'string' ? 1 : 0) +
    (isSchemaObject(patternProperties) ? Object.keys(patternProperties).length : 0)
  return Object.values(schema).reduce<number>((sum, member) => sum + countPatterns(member), own)
}
