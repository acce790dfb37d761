import { createRequire } from 'node:module'
import type { FormatsPlugin } from 'ajv-formats'
import type * as Ajv from 'ajv/dist/2020.js'
import { ajvIssues } from './ajv-issues.ts'
import { toDraft2020 } from './draft-2020.ts'
import { AppError, messageOf } from '../errors.ts'
import { NotJsonError, toJson } from '../json/to-json.ts'
import type { JsonSchema } from './json-schema.ts'
import { lazy } from '../async/lazy.ts'
import { TimeLimitError, withTimeLimit } from '../async/time-limit.ts'
import { formatIssues } from './validation.ts'
import type { Validation } from './validation.ts'

/** Limits the time that compilation blocks the process: about 3 ms per thousand characters. */
const MAX_SCHEMA_LENGTH = 200_000

export interface JsonSchemaValidator {
  /** The schema, converted to draft 2020-12. */
  readonly schema: JsonSchema
  /**
   * Validates a copy of `value`, and applies defaults to the copy.
   *
   * @throws AppError `invalid_config` when references in the schema are endlessly recursive.
   */
  validate(value: unknown): Validation
}

const require = createRequire(import.meta.url)
// on first use: loading ajv takes as long as the rest of `lib`, and most projects have no plain JSON Schema
const ajv = lazy((): typeof Ajv => require('ajv/dist/2020'))
const addFormats = lazy((): FormatsPlugin => require('ajv-formats'))
const metaSchema = lazy(() => {
  const checker = new (ajv().Ajv2020)({ strict: false, logger: false })
  // compiles the meta-schema
  void checker.validateSchema({})
  return checker
})

/**
 * Compiles a plain JSON Schema of draft 2020-12 or earlier.
 *
 * @param limitMs the time limit of the compilation, which blocks the process. Default: none.
 * @throws AppError `invalid_config` when it is not a valid JSON Schema, has a `$ref` to another document, or takes
 *   longer to compile than `limitMs`.
 */
export function compileJsonSchema(source: object, limitMs?: number): JsonSchemaValidator {
  const schema = toDraft2020(copy(source))
  // shared, so it must not be interrupted while it is loaded
  metaSchema()
  addFormats()
  const check = limitMs === undefined ? checkAndCompile(schema) : compileInTime(schema, limitMs)
  return { schema, validate: (value) => run(check, value) }
}

function compileInTime(schema: JsonSchema, limitMs: number): Ajv.ValidateFunction {
  try {
    return withTimeLimit(limitMs, () => checkAndCompile(schema))
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    throw invalidSchema(`its compilation took longer than ${limitMs} ms`)
  }
}

function checkAndCompile(schema: JsonSchema): Ajv.ValidateFunction {
  assertValid(schema)
  return compile(schema)
}

function copy(source: object): JsonSchema {
  try {
    const text = toJson(source, 'schema')
    if (text.length > MAX_SCHEMA_LENGTH) throw invalidSchema(`longer than ${MAX_SCHEMA_LENGTH} characters`)
    const schema: JsonSchema = JSON.parse(text)
    return schema
  } catch (error) {
    if (error instanceof NotJsonError) throw invalidSchema(error.message, error)
    throw error
  }
}

function assertValid(schema: JsonSchema): void {
  const checker = metaSchema()
  if (checker.validateSchema(schema) === true) return
  // the first error is the relevant one; the others concern alternatives (`anyOf`) of the meta-schema
  throw invalidSchema(formatIssues(ajvIssues(checker.errors ?? [], schema).slice(0, 1), 'schema'))
}

function invalidSchema(reason: string, cause?: unknown): AppError {
  return new AppError(
    'invalid_config',
    `Invalid JSON Schema: ${reason}`,
    cause === undefined ? {} : { cause },
  )
}

/** Uses a new ajv instance: an instance keeps every schema it compiled, and refuses a second schema with the same `$id`. */
function compile(schema: JsonSchema): Ajv.ValidateFunction {
  const instance = new (ajv().Ajv2020)({
    strict: false,
    logger: false,
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
  })
  addFormats()(instance)
  try {
    return instance.compile(schema)
  } catch (error) {
    throw invalidSchema(reasonOf(error), error)
  }
}

function reasonOf(error: unknown): string {
  const ref = error instanceof Error && 'missingRef' in error ? error.missingRef : undefined
  if (typeof ref !== 'string') return messageOf(error)
  if (ref.startsWith('#')) return `$ref "${ref}" does not resolve within the schema`
  return `$ref "${ref}" refers to another document; only references within the schema, such as "#/$defs/name", are supported`
}

function run(check: Ajv.ValidateFunction, value: unknown): Validation {
  const copy = copyValue(value)
  if (copy instanceof NotJsonError) return { ok: false, issues: [{ path: copy.path, message: copy.reason }] }
  if (passes(check, copy.value)) return { ok: true, value: copy.value }
  return { ok: false, issues: ajvIssues(check.errors ?? [], copy.value) }
}

function passes(check: Ajv.ValidateFunction, value: unknown): boolean {
  try {
    return check(value)
  } catch (error) {
    // a stack overflow: values are limited in depth, so the schema causes it
    if (error instanceof RangeError) throw invalidSchema('endlessly recursive references', error)
    throw error
  }
}

function copyValue(value: unknown): { readonly value: unknown } | NotJsonError {
  if (value === undefined) return { value }
  try {
    return { value: JSON.parse(toJson(value, 'value')) as unknown }
  } catch (error) {
    if (error instanceof NotJsonError) return error
    throw error
  }
}
