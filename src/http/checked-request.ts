import type { Context } from 'hono'
import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { queryValues } from '../lib/query-values.ts'
import { compileSchema, formatIssues } from '../lib/schema.ts'
import type { CheckedRequest } from './reply.ts'
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
  const params = endpoint.params ? await checked(endpoint.params, c.req.param(), '') : {}
  const query = endpoint.query ? await checked(endpoint.query, given, '') : {}
  const body = endpoint.body ? await checkBody(c, endpoint, bodyLimit) : undefined
  return { params, query, body, headers: c.req.raw.headers, raw: c.req.raw } as Omit<
    CheckedRequest,
    'user' | 'trace'
  >
}

async function checkBody(c: Context, endpoint: Endpoint, limit: number): Promise<unknown> {
  const read = readJsonBody(c.req.raw, limit)
  const value = await (endpoint.bodyUnchecked ? read.catch(asValue) : read)
  if (value === undefined && endpoint.bodyOptional) return {}
  if (value === undefined) throw new AppError('invalid_input', 'A JSON body is required')
  if (endpoint.bodyUnchecked) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_input', 'The body must be a JSON object')
  return checked(endpoint.body as z.ZodType, value, '')
}

/** What is wrong with the text of a body is told by who wanted it unchecked. */
function asValue(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'invalid_input') return error
  throw error
}

async function checked(schema: z.ZodType, value: unknown, root: string): Promise<unknown> {
  const quick = schema.safeParse(value)
  if (quick.success) return quick.data
  const { issues } = (await compileSchema(schema).validate(value)) as {
    issues: Parameters<typeof formatIssues>[0]
  }
  throw new AppError('invalid_input', formatIssues(issues, root))
}
