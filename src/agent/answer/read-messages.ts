import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues, type Schema } from '../../lib/schema/schema.ts'

/**
 * What a caller said as messages for the model: a text, messages of the AI SDK's user interfaces (with `parts`),
 * or messages for models (with `content`).
 *
 * @param root what the input is called in errors, as `input`.
 * @throws AppError `invalid_input` naming the message and the field.
 */
export async function readMessages(
  input: string | readonly object[],
  { ai, root }: { ai: typeof Ai; root: string },
): Promise<Ai.ModelMessage[]> {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  for (const [index, message] of input.entries()) checkRole(message, `${root}[${index}]`)
  const ofInterface = input.some((message) => 'parts' in message)
  return ofInterface ? readUiMessages(input, { ai, root }) : readModelMessages(input, { ai, root })
}

const ROLES = new Set<unknown>(['user', 'assistant', 'tool'])

/** Instructions are the agent's own: whoever asks it gives none. */
function checkRole(message: object, place: string): void {
  if ('role' in message && ROLES.has(message.role)) return
  throw new AppError('invalid_input', `${place}.role: Must be "user", "assistant" or "tool"`)
}

/** What the newest message of the user says. */
export function promptOf(messages: readonly Ai.ModelMessage[]): string {
  const said = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  if (typeof said === 'string') return said
  return said.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

async function readModelMessages(
  input: readonly object[],
  { ai, root }: { ai: typeof Ai; root: string },
): Promise<Ai.ModelMessage[]> {
  const schemas: Readonly<Record<string, Schema>> = {
    user: ai.userModelMessageSchema,
    assistant: ai.assistantModelMessageSchema,
    tool: ai.toolModelMessageSchema,
  }
  const messages: Ai.ModelMessage[] = []
  for (const [index, message] of input.entries()) {
    const { role } = message as { role: string }
    const checked = await compileSchema(schemas[role] ?? {}).validate(message)
    if (!checked.ok) throw new AppError('invalid_input', formatIssues(checked.issues, `${root}[${index}]`))
    if (isEmpty(message)) throw new AppError('invalid_input', `${root}[${index}].content: Must not be empty`)
    messages.push(checked.value as Ai.ModelMessage)
  }
  return messages
}

/** An assistant may have said nothing; what is said to it may not be nothing. */
function isEmpty(message: { role?: unknown; content?: unknown }): boolean {
  const { role, content } = message
  if (role === 'assistant') return false
  if (typeof content === 'string') return role === 'user' && content.trim() === ''
  return Array.isArray(content) && content.every((part: Part) => isBlank(part))
}

interface Part {
  readonly type: string
  readonly text?: unknown
}

function isBlank({ type, text }: Part): boolean {
  return type === 'text' && typeof text === 'string' && text.trim() === ''
}

/** Data of the page is not shown to the model. */
function isUnseen(part: Part): boolean {
  return isBlank(part) || part.type.startsWith('data-')
}

async function readUiMessages(
  input: readonly object[],
  { ai, root }: { ai: typeof Ai; root: string },
): Promise<Ai.ModelMessage[]> {
  const named = input.map((message, index) => ({ id: `message-${index}`, ...message }))
  const checked = await ai.safeValidateUIMessages({ messages: named })
  if (!checked.success) throw new AppError('invalid_input', problemOf(checked.error, root))
  for (const [index, { role, parts }] of checked.data.entries()) {
    if (role === 'user' && parts.every((part) => isUnseen(part)))
      throw new AppError('invalid_input', `${root}[${index}].parts: Must not be empty`)
  }
  return ai.convertToModelMessages(checked.data, { ignoreIncompleteToolCalls: true })
}

function problemOf(error: Error, root: string): string {
  const { cause } = error as {
    cause?: { issues?: readonly { path: (string | number)[]; message: string }[] }
  }
  if (!Array.isArray(cause?.issues)) return `${root}: ${error.message.split('\n')[0] ?? 'Invalid messages'}`
  return formatIssues(cause.issues as Parameters<typeof formatIssues>[0], root)
}
