import { AppError } from '../errors.ts'
import { isStandardSchema } from './standard-schema.ts'

const EXPECTED =
  'expected a schema of zod, Valibot, ArkType or another Standard Schema library, or a JSON Schema object'

/** What is thrown for a value in a schema's place, with the way out of the common mistakes. */
export function notASchema(value: unknown): AppError {
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
  if ('_def' in value) return 'zod schemas work from zod 3.25 on'
  return Object.values(value).some(isStandardSchema)
    ? 'wrap the fields in an object schema, as z.object({ … })'
    : undefined
}
