import type { ToolContext } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'
import { PromptMessages } from '../mcp-content.ts'

export interface McpPromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  /** Gives values that begin with, or fit, what the user has typed so far; at most 100 are sent. */
  readonly complete?: (typed: string) => readonly string[] | Promise<readonly string[]>
}

/** A prompt that users of MCP clients choose, often as a slash command. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly McpPromptArgument[]
  /** Gives the text that the user says, or the messages of a conversation. */
  readonly get: (
    values: Readonly<Record<string, string>>,
    context: Pick<ToolContext, 'signal' | 'user' | 'userId' | 'logger'>,
  ) => string | PromptMessages | Promise<string | PromptMessages>
}

/**
 * The arguments of a prompt, checked.
 *
 * @throws AppError `invalid_input` naming the one that is missing, unknown or no text.
 */
export function promptValues(
  { arguments: declared = [] }: McpPrompt,
  given: Readonly<Record<string, unknown>>,
): Record<string, string> {
  for (const { name, required = false } of declared)
    if (required && given[name] === undefined)
      throw new AppError('invalid_input', `arguments.${name}: Required`)
  const values = Object.entries(given).map(([name, value]) => {
    if (!declared.some((argument) => argument.name === name))
      throw new AppError('invalid_input', `arguments.${name}: there is no such argument`)
    if (typeof value !== 'string') throw new AppError('invalid_input', `arguments.${name}: must be a text`)
    return [name, value] as const
  })
  return Object.fromEntries(values)
}

/** What a prompt's `get` gave, as it is sent. */
export function messagesOf(value: unknown): PromptMessages {
  if (typeof value === 'string') return [{ role: 'user', content: { type: 'text', text: value } }]
  return PromptMessages.parse(value)
}

/** Rules that a declared prompt breaks. */
export function promptProblems(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return ['must be an object with name and get']
  const { name, get, arguments: declared = [] } = value as Partial<McpPrompt>
  const fit =
    Array.isArray(declared) &&
    declared.every((one: Partial<McpPromptArgument> | null) => typeof one?.name === 'string')
  return [
    ...(typeof name === 'string' && name.trim() !== '' ? [] : ['a name is required']),
    ...(typeof get === 'function' ? [] : ['get must be a function']),
    ...(fit ? [] : ['arguments must be an array of objects with a name']),
  ]
}
