import { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema.ts'
import type { ProtocolVersion } from './protocol-version.ts'

const Key = z.string().min(1).max(256)

const Message = z.looseObject({
  messageId: Key,
  contextId: Key.optional(),
  taskId: Key.optional(),
  parts: z.array(z.looseObject({})).min(1).max(1000),
})

/** What a client sends a message with, as far as it has to hold before the SDK takes it apart. */
const SCHEMAS = {
  '1.0': z.looseObject({
    message: Message.extend({
      role: z.union([z.literal('ROLE_USER'), z.literal(1)], { error: 'Must be "ROLE_USER"' }),
    }),
    configuration: z.looseObject({}).optional(),
  }),
  '0.3': z.looseObject({
    message: Message.extend({ role: z.literal('user', { error: 'Must be "user"' }) }),
    configuration: z.looseObject({}).optional(),
  }),
} as const satisfies Record<ProtocolVersion, z.ZodType>

const SENDING = new Set<unknown>(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream'])

/** @throws AppError `invalid_input` naming the field. */
export async function checkParams(
  { method, params }: { method: unknown; params: unknown },
  version: ProtocolVersion,
): Promise<void> {
  if (!SENDING.has(method)) return
  const checked = await compileSchema(SCHEMAS[version]).validate(params)
  if (!checked.ok) throw new AppError('invalid_input', formatIssues(checked.issues, 'params'))
}
