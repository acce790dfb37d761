import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import { toModelOutput } from '../tools/model-output.ts'

export interface InputOptions {
  readonly ai: typeof Ai
  /** The path of the input in error messages, such as `input`. */
  readonly inputPath: string
}

/**
 * Converts a caller's input to model messages. The input is a text, UI messages of the AI SDK (with `parts`), or
 * model messages (with `content`).
 *
 * @throws AppError `invalid_input` naming the message and the field.
 */
export async function toModelMessages(
  input: string | readonly object[],
  { ai, inputPath }: InputOptions,
): Promise<Ai.ModelMessage[]> {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  for (const [index, message] of input.entries()) checkRole(message, `${inputPath}[${index}]`)
  const areUiMessages = input.some((message) => 'parts' in message)
  return areUiMessages
    ? readUiMessages(input, { ai, inputPath })
    : readModelMessages(input, { ai, inputPath })
}

const ROLES = new Set<unknown>(['user', 'assistant', 'tool'])

/** System messages are rejected: the agent's instructions must not come from its callers. */
function checkRole(message: object, path: string): void {
  if ('role' in message && ROLES.has(message.role)) return
  throw new AppError('invalid_input', `${path}.role: Must be "user", "assistant" or "tool"`)
}

/** The text of the last user message. */
export function promptOf(messages: readonly Ai.ModelMessage[]): string {
  const question = messages.findLast(({ role }) => role === 'user')
  return question ? textOfMessage(question) : ''
}

/** The text of a message, without its other parts. */
export function textOfMessage({ content }: Ai.ModelMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

async function readModelMessages(
  input: readonly object[],
  { ai, inputPath }: InputOptions,
): Promise<Ai.ModelMessage[]> {
  const schemas: Readonly<Record<string, Schema>> = {
    user: ai.userModelMessageSchema,
    assistant: ai.assistantModelMessageSchema,
    tool: ai.toolModelMessageSchema,
  }
  const messages: Ai.ModelMessage[] = []
  for (const [index, message] of input.entries()) {
    const { role } = message as { role: string }
    const path = `${inputPath}[${index}]`
    const validation = await compileSchema(schemas[role] ?? {}).validate(message)
    if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, path))
    if (hasApprovals(message))
      throw new AppError(
        'invalid_input',
        `${path}.content: Approvals are sent to POST /agents/:id/runs/:runId/approvals`,
      )
    if (isEmpty(message)) throw new AppError('invalid_input', `${path}.content: Must not be empty`)
    messages.push(validation.value as Ai.ModelMessage)
  }
  return messages
}

function hasApprovals({ content }: { readonly content?: unknown }): boolean {
  return Array.isArray(content) && content.some(({ type }: Part) => type === 'tool-approval-response')
}

/** Assistant messages may be empty; user and tool messages must not. */
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

/** Data parts are for the page and are not sent to the model. */
function isHidden(part: Part): boolean {
  return isBlank(part) || part.type.startsWith('data-')
}

async function readUiMessages(
  input: readonly object[],
  { ai, inputPath }: InputOptions,
): Promise<Ai.ModelMessage[]> {
  const messages = input.map((message, index) => ({
    id: `message-${index}`,
    ...withoutOpenApprovals(message),
  }))
  const validation = await ai.safeValidateUIMessages({ messages })
  if (!validation.success) throw new AppError('invalid_input', problemOf(validation.error, inputPath))
  for (const [index, { role, parts }] of validation.data.entries()) {
    if (role === 'user' && parts.every((part) => isHidden(part)))
      throw new AppError('invalid_input', `${inputPath}[${index}].parts: Must not be empty`)
  }
  return ai.convertToModelMessages(validation.data, {
    ignoreIncompleteToolCalls: true,
    tools: toolsIn(validation.data, ai),
  })
}

/** Approvals are read from the stored run, never from messages: a call that is only approved has no result for the model. */
function withoutOpenApprovals(message: { readonly parts?: unknown }): object {
  const { parts } = message
  if (!Array.isArray(parts)) return message
  const isOpen = (part: unknown) =>
    typeof part === 'object' && part !== null && 'state' in part && part.state === 'approval-responded'
  return { ...message, parts: parts.filter((part) => !isOpen(part)) }
}

/** The tools whose results the messages have, for the conversion of the results. */
function toolsIn(messages: readonly Ai.UIMessage[], ai: typeof Ai): Ai.ToolSet {
  const tool: Ai.ToolSet[string] = {
    inputSchema: ai.jsonSchema({}),
    toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output),
  }
  const names = messages.flatMap(({ parts }) =>
    parts.filter((part) => ai.isToolUIPart(part)).map((part) => ai.getToolName(part)),
  )
  return Object.fromEntries(names.map((name) => [name, tool]))
}

function problemOf(error: Error, inputPath: string): string {
  const { cause } = error as {
    cause?: { issues?: readonly { path: (string | number)[]; message: string }[] }
  }
  if (!Array.isArray(cause?.issues))
    return `${inputPath}: ${error.message.split('\n')[0] ?? 'Invalid messages'}`
  return formatIssues(cause.issues as Parameters<typeof formatIssues>[0], inputPath)
}
