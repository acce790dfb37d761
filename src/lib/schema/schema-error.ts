import { AppError } from '../errors.ts'
import { isStandardSchema } from './standard-schema.ts'

const EXPECTED =
  'expected a schema of zod, Valibot, ArkType or another Standard Schema library, or a JSON Schema object'

/** The error for a value that is not a schema, with a hint for common mistakes. */
export function schemaError(value: unknown): AppError {
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
