import { toJson } from '../../lib/json/index.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { CompiledSchema } from '../../lib/schema/schema.ts'

/** Thrown where a value does not fit the schema that its step or workflow declares. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
}

/** The value as the schema parses it. */
export async function parsed(value: unknown, schema: CompiledSchema, what: string): Promise<unknown> {
  const checked = await schema.validate(value)
  if (checked.ok) return checked.value
  throw new SchemaMismatchError(formatIssues(checked.issues, what))
}

/** A value of user code as JSON text, checked against its schema and the size limit. */
export async function encoded(
  value: unknown,
  { what, schema, limit }: { what: string; schema: CompiledSchema | undefined; limit: number },
): Promise<string> {
  return limitedJson(schema ? await parsed(value, schema, what) : value, { what, limit })
}

/** A value of user code as JSON text within the size limit. */
export function limitedJson(value: unknown, { what, limit }: { what: string; limit: number }): string {
  const text = toJson(value, what)
  // a UTF-16 unit is at most three bytes of UTF-8: most values need no exact count
  if (text.length * 3 > limit && Buffer.byteLength(text) > limit)
    throw new RangeError(`The ${what} is ${Buffer.byteLength(text)} bytes of JSON; the limit is ${limit}`)
  return text
}
