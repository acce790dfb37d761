import type { Context } from 'hono'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { queryValues } from '../../contract/fields.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import { readIssues } from '../../lib/schema/standard-validation.ts'
import type { ValidRequest } from '../reply/reply.ts'
import type { RequestEnv } from './request-env.ts'
import { readJsonBody } from './request-body.ts'

/**
 * Reads a request and validates its parts by the endpoint's schemas.
 *
 * @throws AppError `invalid_input` naming the field, and the errors of `readJsonBody`.
 */
export async function validateRequest(
  c: Context<RequestEnv>,
  endpoint: Endpoint,
  maxBodyBytes: number,
): Promise<Omit<ValidRequest, 'user' | 'access' | 'trace'>> {
  const { raw } = c.req
  const queryString = queryValues(c.req.url)
  const params = endpoint.params ? validate(endpoint.params, c.req.param()) : {}
  const query = endpoint.query ? validate(endpoint.query, queryString) : {}
  const body = endpoint.body ? validateBody(endpoint, await readBody(raw, endpoint, maxBodyBytes)) : undefined
  return { params, query, body, headers: raw.headers, raw } as Omit<ValidRequest, 'user' | 'access' | 'trace'>
}

function readBody(request: Request, { bodyUnchecked }: Endpoint, maxBytes: number): Promise<unknown> {
  const read = readJsonBody(request, maxBytes)
  return bodyUnchecked ? read.catch(asValue) : read
}

function validateBody(endpoint: Endpoint, value: unknown): unknown {
  if (value === undefined && endpoint.bodyOptional) return {}
  if (value === undefined) throw new AppError('invalid_input', 'A JSON body is required')
  if (endpoint.bodyUnchecked) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_input', 'The body must be a JSON object')
  return validate(endpoint.body as z.ZodType, value)
}

/** A body that is not JSON is passed on as its error, which the handler reports in its own protocol. */
function asValue(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'invalid_input') return error
  throw error
}

function validate(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new AppError('invalid_input', formatIssues(readIssues(error.issues, value, 'zod'), ''))
}
