import { lazy } from '../async/lazy.ts'
import { TimeLimitError, withTimeLimit } from '../async/time-limit.ts'
import { AppError } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { compileJsonSchema } from './json-schema-validator.ts'
import { looksLikeJsonSchema, UNREPRESENTABLE } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { shapeOf } from './schema-shape.ts'
import { isStandardSchema } from './standard-schema.ts'
import type { StandardSchema } from './standard-schema.ts'
import { validateStandard } from './standard-validation.ts'
import type { Validation } from './validation.ts'

export { type JsonSchema } from './json-schema.ts'
export { type StandardSchema } from './standard-schema.ts'
export { formatIssues, type Issue, type Validation } from './validation.ts'

/** A schema of zod, Valibot, ArkType or another Standard Schema library, or a plain JSON Schema. */
export type Schema<Output = unknown, Input = unknown> = StandardSchema<Input, Output> | JsonSchema

/** The output type of a schema: `JsonValue` for a plain JSON Schema. */
export type InferOutput<S> = S extends StandardSchema ? TypesOf<S>['output'] : JsonValue

/** The input type of a schema: `JsonValue` for a plain JSON Schema. */
export type InferInput<S> = S extends StandardSchema ? TypesOf<S>['input'] : JsonValue

type TypesOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>

/** The common interface to the schemas of all libraries. */
export interface CompiledSchema {
  /** The JSON Schema (draft 2020-12, without `$schema`) of the input. */
  readonly input: JsonSchema
  /** The JSON Schema (draft 2020-12, without `$schema`) of the output. */
  readonly output: JsonSchema
  /**
   * Validates a value without changing it. Issues about missing values have the message `Required`.
   *
   * @throws AppError `internal` when the schema's own code throws; asynchronous schemas reject with it.
   */
  validate(value: unknown): Validation | Promise<Validation>
}

/** Whether `value` is a Standard Schema or resembles a JSON Schema, which {@link compileSchema} may still refuse. */
export function isSchema(value: unknown): value is Schema {
  return isStandardSchema(value) || looksLikeJsonSchema(value)
}

const compiled = new WeakMap<object, CompiledSchema>()

/**
 * Compiles a schema. The result is cached for each schema object.
 *
 * @throws AppError `invalid_config` when `schema` is not a schema, or not a valid JSON Schema.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  if (!isSchema(schema)) throw schemaError(schema)
  const cached = compiled.get(schema)
  if (cached !== undefined) return cached
  const result = isStandardSchema(schema) ? compileStandard(schema) : compilePlain(schema)
  compiled.set(schema, result)
  return result
}

/**
 * Like {@link compileSchema}, for a JSON Schema that a caller chose: limits the time of its compilation, and validates
 * each value within 100 ms.
 *
 * @throws AppError `invalid_config` as `compileSchema` does, and when the compilation takes longer than one second.
 */
export function compileUntrusted(schema: JsonSchema): CompiledSchema {
  if (!isSchema(schema)) throw schemaError(schema)
  const cached = compiled.get(schema)
  if (cached !== undefined) return cached
  const validator = compileJsonSchema(schema, TIME_LIMIT_MS)
  const result = {
    input: validator.schema,
    output: validator.schema,
    validate: (value: unknown) =>
      validateInTime((copy) => validator.validate(copy), value, UNTRUSTED_TIME_LIMIT_MS),
  }
  compiled.set(schema, result)
  // the converted schema is compiled again by models that generate values for it
  compiled.set(validator.schema, result)
  return result
}

function compilePlain(source: JsonSchema): CompiledSchema {
  const validator = compileJsonSchema(source)
  const { schema } = validator
  return {
    input: schema,
    output: schema,
    validate: limitTime(
      (value) => validator.validate(value),
      () => schema,
    ),
  }
}

function compileStandard(schema: StandardSchema): CompiledSchema {
  const input = lazy(() => shapeOf(schema, 'input'))
  const output = lazy(() => shapeOf(schema, 'output'))
  return {
    get input() {
      return input()
    },
    get output() {
      return output()
    },
    validate: limitTime((value) => validateStandard(schema, value), input),
  }
}

type Validate = CompiledSchema['validate']

/** A pattern can take for ever. */
const TIME_LIMIT_MS = 1000
const UNTRUSTED_TIME_LIMIT_MS = 100
/** Keywords whose cost can be exponential, or parts that have no JSON Schema and may contain such a check. */
const EXPENSIVE = new RegExp(
  `"(?:\\$dynamicRef|\\$ref|pattern|patternProperties|uniqueItems)":|${UNREPRESENTABLE}`,
)

/**
 * Limits the synchronous time of a validation to one second if the schema may be expensive: otherwise a single hostile
 * value, such as one for a backtracking pattern, could block the server for ever. Exceeding the limit is an issue.
 */
function limitTime(validate: Validate, shape: () => JsonSchema): Validate {
  const isExpensive = lazy(() => EXPENSIVE.test(JSON.stringify(shape())))
  return (value) => (isExpensive() ? validateInTime(validate, value, TIME_LIMIT_MS) : validate(value))
}

function validateInTime(
  validate: Validate,
  value: unknown,
  limitMs: number,
): Validation | Promise<Validation> {
  try {
    return withTimeLimit(limitMs, () => validate(value))
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    return { ok: false, issues: [{ path: [], message: `Validation took longer than ${limitMs} ms` }] }
  }
}

const EXPECTED =
  'expected a schema of zod, Valibot, ArkType or another Standard Schema library, or a JSON Schema object'

/** The error for a value that is not a schema, with a hint for common mistakes. */
function schemaError(value: unknown): AppError {
  const hint = hintFor(value)
  return new AppError(
    'invalid_config',
    `Not a schema: ${EXPECTED}, got ${nameOf(value)}`,
    hint === undefined ? {} : { hint },
  )
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function hintFor(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('_def' in value) return 'zod schemas require zod 3.25 or later'
  return Object.values(value).some(isStandardSchema)
    ? 'wrap the fields in an object schema, such as z.object({ … })'
    : undefined
}
