import { boundedCheck } from '../async/bounded-check.ts'
import type { JsonValue } from '../json/index.ts'
import { type JsonSchema, looksLikeJsonSchema } from './json-schema.ts'
import { compileJsonSchema } from './json-schema-validator.ts'
import { lazy } from '../async/lazy.ts'
import { notASchema } from './schema-error.ts'
import { shapeOf } from './schema-shape.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'
import { validateStandard } from './standard-validation.ts'
import type { Validation } from './validation.ts'

export { type JsonSchema } from './json-schema.ts'
export { formatIssues, type Issue } from './schema-issue.ts'
export { type StandardSchema } from './standard-schema.ts'
export { type Validation } from './validation.ts'

/** Anything that checks values: a schema of zod, Valibot, ArkType or any other Standard Schema library, or a plain JSON Schema. */
export type Schema<Output = unknown, Input = unknown> = StandardSchema<Input, Output> | JsonSchema

/** The type of the values a schema yields; any JSON for a plain JSON Schema. */
export type InferOutput<S> = S extends StandardSchema ? TypesOf<S>['output'] : JsonValue

/** The type of the values a schema takes; any JSON for a plain JSON Schema. */
export type InferInput<S> = S extends StandardSchema ? TypesOf<S>['input'] : JsonValue

type TypesOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>

/** A schema made ready, whatever library it is of. */
export interface CompiledSchema {
  /** The JSON Schema (draft 2020-12, without `$schema`) of the values it takes. */
  readonly input: JsonSchema
  /** The JSON Schema (draft 2020-12, without `$schema`) of the values it yields. */
  readonly output: JsonSchema
  /**
   * Checks a value, which it never changes. Where nothing is at an issue's path, its message is `Required`.
   *
   * @throws AppError `internal` when the schema's own code throws; a promise rejects with it.
   */
  validate(value: unknown): Validation | Promise<Validation>
}

/** Whether `value` is a Standard Schema or reads like a JSON Schema, which {@link compileSchema} may still refuse. */
export function isSchema(value: unknown): value is Schema {
  return isStandardSchema(value) || looksLikeJsonSchema(value)
}

const compiled = new WeakMap<object, CompiledSchema>()

/**
 * Makes a schema ready; the same object is compiled once.
 *
 * @throws AppError `invalid_config` when it is no schema, or a JSON Schema that can't be compiled.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  if (!isSchema(schema)) throw notASchema(schema)
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = isStandardSchema(schema) ? compileStandard(schema) : compilePlain(schema)
  compiled.set(schema, made)
  return made
}

function compilePlain(source: JsonSchema): CompiledSchema {
  const validator = compileJsonSchema(source)
  const { schema } = validator
  return {
    input: schema,
    output: schema,
    validate: boundedCheck(
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
    validate: boundedCheck((value) => validateStandard(schema, value), input),
  }
}
