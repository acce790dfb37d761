import { AppError } from '../errors.ts'
import { isAbsent, REQUIRED } from './validation.ts'
import type { Issue } from './validation.ts'
import type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts'
import type { Validation } from './validation.ts'

/**
 * Validates a value with the schema's own library.
 *
 * @throws AppError `internal` when the schema's code throws or rejects instead of returning issues.
 */
export function validateStandard(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const read = (result: StandardResult<unknown>) => readResult(result, value, schema['~standard'].vendor)
  try {
    const result = hasAsyncParse(schema) ? parseAsync(schema, value) : schema['~standard'].validate(value)
    if (!isPromise(result)) return read(result)
    return result.then(read).catch((error: unknown) => Promise.reject(schemaThrew(error)))
  } catch (error) {
    throw schemaThrew(error)
  }
}

interface ZodSchema {
  readonly safeParseAsync: (value: unknown) => Promise<ZodResult>
}

type ZodResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } }

/**
 * Zod's `~standard.validate` tries synchronous parsing first: it calls asynchronous refinements twice and ignores the
 * first promise, whose rejection would terminate the process as unhandled. `safeParseAsync` avoids this.
 */
function hasAsyncParse(schema: StandardSchema | ZodSchema): schema is ZodSchema {
  return 'safeParseAsync' in schema && typeof schema.safeParseAsync === 'function'
}

async function parseAsync(schema: ZodSchema, value: unknown): Promise<StandardResult<unknown>> {
  const result = await schema.safeParseAsync(value)
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

function schemaThrew(cause: unknown): AppError {
  return new AppError('internal', 'A schema threw an error instead of reporting an issue', { cause })
}

/** Checks for `then`, not for the class: a promise may come from another realm or library. */
function isPromise<T extends object>(value: T | Promise<T>): value is Promise<T> {
  return 'then' in value && typeof value.then === 'function'
}

function readResult(result: StandardResult<unknown>, value: unknown, vendor: string): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: readIssues(result.issues, value, vendor) }
}

/** Converts a library's issues about `value`. */
export function readIssues(issues: readonly StandardIssue[], value: unknown, vendor: string): Issue[] {
  return Array.from(issues, (issue) => readIssue(issue, value, vendor))
}

function readIssue(issue: StandardIssue, value: unknown, vendor: string): Issue {
  const path = Array.from(issue.path ?? [], readStep)
  return { path, message: isAbsent(value, path) ? REQUIRED : messageOf(issue, vendor) }
}

function readStep(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === 'object' ? step.key : step
  return typeof key === 'symbol' ? String(key) : key
}

/** ArkType's messages begin with the path, which the issue has already; for an unknown key, the path is the only name. */
function messageOf(issue: StandardIssue & { readonly problem?: unknown }, vendor: string): string {
  if (vendor !== 'arktype' || typeof issue.problem !== 'string') return issue.message
  return issue.problem === 'must be removed' ? issue.message : issue.problem
}
