import { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema/schema.ts'
import type { ProtocolVersion } from './protocol-version.ts'

/** A JSON-RPC request that is not validated yet. */
export type RpcRequest = Readonly<Record<string, unknown>>

const Key = z.string().min(1).max(256)
const Text = z.string().nullish()

/** The number of messages to return with a task. Protocol Buffers also write whole numbers as text. */
const HistoryLength = z
  .unknown()
  .refine((value) => value === null || isCount(value), 'Must be a whole number, 0 or more')
  .optional()

function isCount(value: unknown): boolean {
  return typeof value === 'string' ? /^\d+$/.test(value) : Number.isInteger(value) && Number(value) >= 0
}

/** The parts of the parameters of a send method that must be valid before the SDK parses them. */
function sendParams(role: z.ZodType, part: z.ZodObject): z.ZodType {
  const message = z.looseObject({
    messageId: Key,
    contextId: Key.nullish(),
    taskId: Key.nullish(),
    role,
    parts: z.array(part).min(1).max(1000),
  })
  return z.looseObject({ message, configuration: z.looseObject({ historyLength: HistoryLength }).nullish() })
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

/** The parameters of the methods that read tasks. */
const READ_PARAMS = z.looseObject({ historyLength: HistoryLength })

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
  if (!isObject) return
  const schema = SEND_METHODS.has(method) ? SEND_PARAMS[version] : READ_PARAMS
  const validation = await compileSchema(schema).validate(params)
  if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, 'params'))
}
