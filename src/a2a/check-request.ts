import { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema/schema.ts'
import type { ProtocolVersion } from './protocol-version.ts'

/** A JSON-RPC request, its members unchecked. */
export type Rpc = Readonly<Record<string, unknown>>

const Key = z.string().min(1).max(256)
const Text = z.string().nullish()

/** What a client sends a message with, as far as it has to hold before the SDK takes it apart. */
function sendingWith(role: z.ZodType, part: z.ZodObject): z.ZodType {
  const message = z.looseObject({
    messageId: Key,
    contextId: Key.nullish(),
    taskId: Key.nullish(),
    role,
    parts: z.array(part).min(1).max(1000),
  })
  return z.looseObject({ message, configuration: z.looseObject({}).nullish() })
}

const SENDING = {
  '1.0': sendingWith(
    z.union([z.literal('ROLE_USER'), z.literal(1)], { error: 'Must be "ROLE_USER"' }),
    z.looseObject({ text: Text, raw: Text, url: Text, mediaType: Text, filename: Text }),
  ),
  '0.3': sendingWith(
    z.literal('user', { error: 'Must be "user"' }),
    z.looseObject({ text: Text, file: z.looseObject({ bytes: Text, uri: Text, mimeType: Text }).nullish() }),
  ),
} as const satisfies Record<ProtocolVersion, z.ZodType>

const SENDING_METHODS = new Set<unknown>([
  'SendMessage',
  'SendStreamingMessage',
  'message/send',
  'message/stream',
])

/** Take no parameters. */
const BARE_METHODS = new Set<unknown>(['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard'])

/** What keeps a request from being one of JSON-RPC 2.0, if anything. */
export function requestProblem({ jsonrpc, id, method }: Rpc): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc: Must be "2.0"'
  const hasId = id === undefined || id === null || typeof id === 'string' || Number.isInteger(id)
  if (!hasId) return 'id: Must be a string, a whole number or null'
  return typeof method === 'string' && method !== '' ? undefined : 'method: Required'
}

/** @throws AppError `invalid_input` naming the parameter. */
export async function checkParams({ method, params }: Rpc, version: ProtocolVersion): Promise<void> {
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  if (!isObject && !BARE_METHODS.has(method)) throw new AppError('invalid_input', 'params: Must be an object')
  if (!SENDING_METHODS.has(method)) return
  const checked = await compileSchema(SENDING[version]).validate(params)
  if (!checked.ok) throw new AppError('invalid_input', formatIssues(checked.issues, 'params'))
}
