import type { ToolContext } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'
import { PromptMessages } from '../mcp-content.ts'

/** An argument of an {@link McpPrompt}. Its value is always a string. */
export interface McpPromptArgument {
  /** Name of the argument. */
  readonly name: string
  /** Description for people. */
  readonly description?: string
  /** Whether the prompt needs it. Default: false. */
  readonly required?: boolean
  /** Returns completions for the text typed so far; the first 100 are sent. */
  readonly complete?: (typed: string) => readonly string[] | Promise<readonly string[]>
}

/**
 * A prompt template for users of MCP clients, which often show it as a slash command.
 *
 * @example
 * const review: McpPrompt = {
 *   name: 'review',
 *   arguments: [{ name: 'file', required: true }],
 *   get: ({ file }) => `Review ${file} and list its problems`,
 * }
 */
export interface McpPrompt {
  /** Name of the prompt. */
  readonly name: string
  /** Title for people. */
  readonly title?: string
  /** Description for people and models. */
  readonly description?: string
  /** Arguments of the prompt. */
  readonly arguments?: readonly McpPromptArgument[]
  /** Returns the text of one user message, or the messages of a conversation. */
  readonly get: (
    values: Readonly<Record<string, string>>,
    context: Pick<ToolContext, 'signal' | 'user' | 'userId' | 'logger'>,
  ) => string | PromptMessages | Promise<string | PromptMessages>
}

/**
 * Validates the arguments of a prompt.
 *
 * @throws AppError `invalid_input` naming the argument that is missing, unknown or not a string.
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
      throw new AppError('invalid_input', `arguments.${name}: unknown argument`)
    if (typeof value !== 'string') throw new AppError('invalid_input', `arguments.${name}: must be a string`)
    return [name, value] as const
  })
  return Object.fromEntries(values)
}

/** The value returned by a prompt's `get`, as protocol messages. */
export function messagesOf(value: unknown): PromptMessages {
  if (typeof value === 'string') return [{ role: 'user', content: { type: 'text', text: value } }]
  return PromptMessages.parse(value)
}

/** Whether an argument of one of the prompts has completions. */
export function hasCompletions(prompts: readonly McpPrompt[]): boolean {
  return prompts.some((prompt) => prompt.arguments?.some(({ complete }) => complete !== undefined))
}

/** Problems of a prompt's declaration. */
export function promptProblems(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return ['must be an object with name and get']
  const { name, get, arguments: declared = [] } = value as Partial<McpPrompt>
  const areArguments =
    Array.isArray(declared) &&
    declared.every((one: Partial<McpPromptArgument> | null) => typeof one?.name === 'string')
  return [
    ...(typeof name === 'string' && name.trim() !== '' ? [] : ['a name is required']),
    ...(typeof get === 'function' ? [] : ['get must be a function']),
    ...(areArguments ? [] : ['arguments must be an array of objects with a name']),
  ]
}
