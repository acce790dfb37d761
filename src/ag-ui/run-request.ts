import type { ClientAdditions, ClientToolDeclaration } from '../agent/client-additions.ts'
import type { ClientToolOutput } from '../agent/answer/waiting/resumed-answer.ts'
import { AppError } from '../lib/errors.ts'
import type { JsonSchema } from '../lib/schema/schema.ts'
import type { MediaPart, Message, RunAgentInput } from './run-input.ts'

type Content = Extract<Message, { role: 'user' | 'tool' }>['content']

/**
 * The messages of a conversation as ModelMessages of the AI SDK. System messages are instructions of the client, and
 * reasoning and activities are not for the model. Calls without a result, and results without a call, are left out: models
 * refuse them.
 *
 * @throws AppError `invalid_input` naming the message.
 */
export function modelMessages(messages: readonly Message[]): object[] {
  const calls = new Map<string, string>()
  const results = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') results.add(message.toolCallId)
    if (message.role === 'assistant')
      for (const call of message.toolCalls ?? []) calls.set(call.id, call.function.name)
  }
  return messages.flatMap((message, index): object[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: userContent(message.content, `messages[${index}].content`) }]
      case 'assistant': {
        const { content = '', toolCalls = [] } = message
        const made = toolCalls
          .filter(({ id }) => results.has(id))
          .map(({ id, function: { name, arguments: json } }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input: valueOf(json),
          }))
        const parts = [...(content === '' ? [] : [{ type: 'text', text: content }]), ...made]
        return parts.length === 0 ? [] : [{ role: 'assistant', content: parts }]
      }
      case 'tool': {
        const { toolCallId, content, error } = message
        const toolName = calls.get(toolCallId)
        if (toolName === undefined) return []
        const output =
          error === undefined
            ? { type: 'text', value: textOf(content) }
            : { type: 'error-text', value: error }
        return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }]
      }
      default:
        return []
    }
  })
}

/** The results of the front end's tools behind the last answer. */
export function toolOutputs(messages: readonly Message[]): ClientToolOutput[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool')
  return messages.slice(last + 1).flatMap((message): ClientToolOutput[] => {
    if (message.role !== 'tool') return []
    const { toolCallId, content, error } = message
    if (error !== undefined) return [{ toolCallId, errorText: error }]
    return [{ toolCallId, output: valueOf(textOf(content)) }]
  })
}

/** What the front end adds to the agent: its tools, except those that the agent declares for it, and what it says about itself. */
export function additionsIn(
  { messages, tools, context }: RunAgentInput,
  declared: ReadonlySet<string>,
): ClientAdditions {
  const said = messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [message.content] : [],
  )
  const known = context.map(({ description, value }) => `${description}: ${value}`)
  const instructions = [...said, ...known].filter((text) => text.trim() !== '').join('\n\n')
  const added = tools.flatMap((tool, index) => (declared.has(tool.name) ? [] : [declaration(tool, index)]))
  return {
    ...(instructions !== '' && { instructions }),
    ...(added.length > 0 && { tools: added }),
  }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

function declaration(
  { name, description, parameters }: NonNullable<RunAgentInput['tools']>[number],
  index: number,
): ClientToolDeclaration {
  if (!NAME.test(name))
    throw new AppError(
      'invalid_input',
      `tools[${index}].name: Must be letters, digits, "_" and "-", at most 64`,
    )
  const inputSchema: unknown = parameters ?? { type: 'object', properties: {} }
  if (typeof inputSchema !== 'object' || Array.isArray(inputSchema))
    throw new AppError('invalid_input', `tools[${index}].parameters: Must be a JSON Schema object`)
  return { name, description, inputSchema: inputSchema as JsonSchema }
}

function userContent(content: Content, at: string): object[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part, index) =>
    part.type === 'text' ? { type: 'text', text: part.text } : filePart(part, `${at}[${index}]`),
  )
}

/** Where the media type is missing, the usual one of its kind. */
const MEDIA_TYPES = {
  image: 'image/*',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  document: 'application/pdf',
} as const

function filePart({ type, source }: MediaPart, at: string): object {
  if (source.type === 'file')
    throw new AppError(
      'invalid_input',
      `${at}.source: Files at a provider are not supported; send data or a URL`,
    )
  const { value, mimeType: mediaType = MEDIA_TYPES[type] } = source
  return { type: 'file', data: value, mediaType }
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n')
}

/** JSON, or the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
