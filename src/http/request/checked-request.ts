import type { Context } from 'hono'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { queryValues } from '../../contract/query-values.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import { readIssues } from '../../lib/schema/standard-validation.ts'
import type { CheckedRequest } from '../reply/reply.ts'
import { readJsonBody } from './request-body.ts'

/**
 * Reads and checks a request by its endpoint's schemas.
 *
 * @throws AppError `invalid_input` naming the field, or what reading the body throws.
 */
export async function checkRequest(
  c: Context,
  endpoint: Endpoint,
  bodyLimit: number,
): Promise<Omit<CheckedRequest, 'user' | 'trace'>> {
  const given = queryValues(c.req.url)
  const params = endpoint.params ? checked(endpoint.params, c.req.param()) : {}
  const query = endpoint.query ? checked(endpoint.query, given) : {}
  const body = endpoint.body ? checkBody(endpoint, await readBody(c, endpoint, bodyLimit)) : undefined
  return { params, query, body, headers: c.req.raw.headers, raw: c.req.raw } as Omit<
    CheckedRequest,
    'user' | 'trace'
  >
}

function readBody(c: Context, { bodyUnchecked }: Endpoint, limit: number): Promise<unknown> {
  const read = readJsonBody(c.req.raw, limit)
  return bodyUnchecked ? read.catch(asValue) : read
}

function checkBody(endpoint: Endpoint, value: unknown): unknown {
  if (value === undefined && endpoint.bodyOptional) return {}
  if (value === undefined) throw new AppError('invalid_input', 'A JSON body is required')
  if (endpoint.bodyUnchecked) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_input', 'The body must be a JSON object')
  return checked(endpoint.body as z.ZodType, value)
}

/** What is wrong with the text of a body is told by who wanted it unchecked. */
function asValue(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'invalid_input') return error
  throw error
}

function checked(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new AppError('invalid_input', formatIssues(readIssues(error.issues, value, 'zod'), ''))
}
