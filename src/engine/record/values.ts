import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/to-json.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { CompiledSchema } from '../../lib/schema/schema.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** Thrown where a value does not match the schema that its step or workflow declares. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
}

/**
 * A workflow's input, parsed by its schema, as JSON text.
 *
 * @throws AppError `invalid_input` naming the fields that do not match.
 */
export async function parseInput(workflow: RegisteredWorkflow, input: unknown): Promise<string> {
  if (!workflow.input) {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new AppError('invalid_input', 'Input validation failed: input: Expected an object')
    return toJson(input, 'input')
  }
  const checked = await workflow.input.validate(input)
  if (!checked.ok)
    throw new AppError('invalid_input', `Input validation failed: ${formatIssues(checked.issues, 'input')}`)
  return toJson(checked.value, 'input')
}

/** The value as the schema parses it. */
export async function parseValue(value: unknown, schema: CompiledSchema, name: string): Promise<unknown> {
  const checked = await schema.validate(value)
  if (checked.ok) return checked.value
  throw new SchemaMismatchError(formatIssues(checked.issues, name))
}

/** A value of user code as JSON text, checked against its schema and the size limit. */
export async function encodeValue(
  value: unknown,
  { name, schema, limit }: { name: string; schema: CompiledSchema | undefined; limit: number },
): Promise<string> {
  return encodeJson(schema ? await parseValue(value, schema, name) : value, { name, limit })
}

/**
 * A value of user code as JSON text within the size limit, in bytes.
 *
 * @throws RangeError when it is larger; NotJsonError as `toJson`.
 */
export function encodeJson(value: unknown, { name, limit }: { name: string; limit: number }): string {
  const text = toJson(value, name)
  const problem = sizeProblem(text, { name, limit })
  if (problem !== undefined) throw new RangeError(problem)
  return text
}

/** What is wrong with a JSON text that has more bytes than `limit`. */
export function sizeProblem(
  text: string,
  { name, limit }: { name: string; limit: number },
): string | undefined {
  // a UTF-16 unit is at most three bytes of UTF-8: most values need no exact count
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return undefined
  return `The ${name} is ${Buffer.byteLength(text)} bytes of JSON; the limit is ${limit}`
}

/** Parses JSON from the database; returns `fallback` for damaged text, so that one value hides no other. */
export function decodeStored<T = unknown>(text: string, fallback: T): T {
  try {
    return JSON.parse(text) as T
  } catch {
    // the fallback is shown in its place
    return fallback
  }
}
