import { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema/schema.ts'
import type { ProtocolVersion } from './protocol-version.ts'

/** A JSON-RPC request that is not validated yet. */
export type RpcRequest = Readonly<Record<string, unknown>>

const Key = z.string().min(1).max(256)
const Text = z.string().nullish()

/** The parts of the parameters of a send method that must be valid before the SDK parses them. */
function sendParams(role: z.ZodType, part: z.ZodObject): z.ZodType {
  const message = z.looseObject({
    messageId: Key,
    contextId: Key.nullish(),
    taskId: Key.nullish(),
    role,
    parts: z.array(part).min(1).max(1000),
  })
  return z.looseObject({ message, configuration: z.looseObject({}).nullish() })
}

const SEND_PARAMS = {
  '1.0': sendParams(
    z.union([z.literal('ROLE_USER'), z.literal(1)], { error: 'Must be "ROLE_USER"' }),
    z.looseObject({ text: Text, raw: Text, url: Text, mediaType: Text, filename: Text }),
  ),
  '0.3': sendParams(
    z.literal('user', { error: 'Must be "user"' }),
    z.looseObject({ text: Text, file: z.looseObject({ bytes: Text, uri: Text, mimeType: Text }).nullish() }),
  ),
} as const satisfies Record<ProtocolVersion, z.ZodType>

const SEND_METHODS = new Set<unknown>([
  'SendMessage',
  'SendStreamingMessage',
  'message/send',
  'message/stream',
])

const METHODS_WITHOUT_PARAMS = new Set<unknown>([
  'GetExtendedAgentCard',
  'agent/getAuthenticatedExtendedCard',
])

/** A problem text when a request is not valid JSON-RPC 2.0. */
export function requestProblem({ jsonrpc, id, method }: RpcRequest): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc: Must be "2.0"'
  const isIdValid = id === undefined || id === null || typeof id === 'string' || Number.isInteger(id)
  if (!isIdValid) return 'id: Must be a string, a whole number or null'
  return typeof method === 'string' && method !== '' ? undefined : 'method: Required'
}

/** @throws AppError `invalid_input` naming the parameter. */
export async function validateParams(
  { method, params }: RpcRequest,
  version: ProtocolVersion,
): Promise<void> {
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  if (!isObject && !METHODS_WITHOUT_PARAMS.has(method))
    throw new AppError('invalid_input', 'params: Must be an object')
  if (!SEND_METHODS.has(method)) return
  const validation = await compileSchema(SEND_PARAMS[version]).validate(params)
  if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, 'params'))
}
