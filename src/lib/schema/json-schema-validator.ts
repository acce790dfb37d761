import { createRequire } from 'node:module'
import type { FormatsPlugin } from 'ajv-formats'
import type * as Ajv from 'ajv/dist/2020.js'
import { ajvIssues } from './ajv-issues.ts'
import { toDraft2020 } from './draft-2020.ts'
import { AppError, messageOf } from '../errors.ts'
import { NotJsonError, toJson } from '../json/index.ts'
import type { JsonSchema } from './json-schema.ts'
import { lazy } from '../async/lazy.ts'
import { formatIssues } from './schema-issue.ts'
import type { Validation } from './validation.ts'

/** Compiling blocks the process for about 3 ms per thousand characters. */
const LONGEST_SCHEMA = 200_000

export interface JsonSchemaValidator {
  /** The schema in the words of draft 2020-12. */
  readonly schema: JsonSchema
  /**
   * Checks a copy of `value` and fills in defaults there.
   *
   * @throws AppError `invalid_config` when the schema turns out to refer to itself without end.
   */
  validate(value: unknown): Validation
}

const require = createRequire(import.meta.url)
// on first use: ajv takes as long to load as the rest of this room, and most projects have no plain JSON Schema
const ajv = lazy((): typeof Ajv => require('ajv/dist/2020'))
const addFormats = lazy((): FormatsPlugin => require('ajv-formats'))
const metaSchema = lazy(() => new (ajv().Ajv2020)({ strict: false, logger: false }))

/**
 * Compiles a plain JSON Schema, of draft 2020-12 or an earlier one.
 *
 * @throws AppError `invalid_config` when it is no valid JSON Schema, or refers to something outside itself.
 */
export function compileJsonSchema(source: object): JsonSchemaValidator {
  const schema = toDraft2020(copyOf(source))
  assertValid(schema)
  const check = compile(schema)
  return { schema, validate: (value) => run(check, value) }
}

function copyOf(source: object): JsonSchema {
  try {
    const text = toJson(source, 'schema')
    if (text.length > LONGEST_SCHEMA) throw refusal(`it is longer than ${LONGEST_SCHEMA} characters`)
    const copy: JsonSchema = JSON.parse(text)
    return copy
  } catch (error) {
    if (error instanceof NotJsonError) throw refusal(error.message, error)
    throw error
  }
}

function assertValid(schema: JsonSchema): void {
  const checker = metaSchema()
  if (checker.validateSchema(schema) === true) return
  // the first error says it; the others tell of alternatives nobody meant
  throw refusal(formatIssues(ajvIssues(checker.errors ?? [], schema).slice(0, 1), 'schema'))
}

function refusal(reason: string, cause?: unknown): AppError {
  return new AppError(
    'invalid_config',
    `Not a usable JSON Schema: ${reason}`,
    cause === undefined ? {} : { cause },
  )
}

/** With an instance of its own: a shared one would keep every schema ever compiled, and refuse an `$id` twice. */
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
    throw refusal(reasonOf(error), error)
  }
}

function reasonOf(error: unknown): string {
  const ref = error instanceof Error && 'missingRef' in error ? error.missingRef : undefined
  if (typeof ref !== 'string') return messageOf(error)
  if (ref.startsWith('#')) return `$ref "${ref}" points to nothing in it`
  return `$ref "${ref}" points outside it; only references within the schema, such as "#/$defs/name", are supported`
}

function run(check: Ajv.ValidateFunction, value: unknown): Validation {
  const copy = detach(value)
  if (copy instanceof NotJsonError) return { ok: false, issues: [{ path: copy.path, message: copy.reason }] }
  if (passes(check, copy.value)) return { ok: true, value: copy.value }
  return { ok: false, issues: ajvIssues(check.errors ?? [], copy.value) }
}

function passes(check: Ajv.ValidateFunction, value: unknown): boolean {
  try {
    return check(value)
  } catch (error) {
    // values are never deep enough for that
    if (error instanceof RangeError) throw refusal('it refers to itself without end', error)
    throw error
  }
}

function detach(value: unknown): { readonly value: unknown } | NotJsonError {
  if (value === undefined) return { value }
  try {
    return { value: JSON.parse(toJson(value, 'value')) as unknown }
  } catch (error) {
    if (error instanceof NotJsonError) return error
    throw error
  }
}
