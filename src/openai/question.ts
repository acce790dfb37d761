import type { ModelMessage } from 'ai'
import type { ClientAdditions, ClientToolDeclaration } from '../agent/client-additions.ts'
import type { AgentOptions, ToolChoice } from '../contract/endpoints/agent.ts'
import type { ClientCall } from '../engine/agents/agent-call.ts'
import { AppError } from '../lib/errors.ts'
import type { JsonSchema } from '../lib/schema/schema.ts'
import type { OpenaiExchange, SystemMessages } from './exchange.ts'

/** A request to an agent, of either API. */
export interface Question {
  readonly messages: readonly ModelMessage[]
  /** The system messages of the client, and where they are in the request. */
  readonly system: readonly SystemText[]
  readonly tools: readonly ClientToolDeclaration[]
  readonly schema: JsonSchema | undefined
  readonly options: AgentOptions
  readonly user: string | null | undefined
}

export interface SystemText {
  readonly text: string
  /** The member of the request. */
  readonly param: string
}

type Json = Readonly<Record<string, unknown>>

/** The error of a request that is not valid, about a member of it. */
export function invalidMember(param: string, problem: string): AppError {
  return new AppError('invalid_input', `${param}: ${problem}`)
}

/** A call of an agent. Its answer ends where the client has to execute tools. */
export function callOf(question: Question, exchange: OpenaiExchange): Omit<ClientCall, 'signal'> {
  const { messages, tools, schema, options, user: claimed } = question
  const { user, hasUsers, trace, systemMessages } = exchange
  const instructions = instructionsOf(question.system, systemMessages)
  const client: ClientAdditions = {
    ...(instructions !== undefined && { instructions }),
    ...(tools.length > 0 && { tools }),
  }
  return {
    input: messages,
    inputPath: 'messages',
    options: { ...options, ...(!hasUsers && claimed ? { userId: claimed } : {}) },
    ...(Object.keys(client).length > 0 && { client }),
    schema,
    user,
    trace,
    waits: { approvals: true, clientTools: true, returnsCalls: true },
    delivery: 'text',
  }
}

function instructionsOf(system: readonly SystemText[], mode: SystemMessages): string | undefined {
  const texts = system.filter(({ text }) => text.trim() !== '')
  const [first] = texts
  if (!first || mode === 'ignore') return undefined
  if (mode === 'refuse')
    throw invalidMember(
      first.param,
      'Instructions of clients are refused by the configuration (openai.systemMessages)',
    )
  return texts.map(({ text }) => text).join('\n\n')
}

/** Members that ask for something that there is not: with one of them, the answer would be another than the client expects. */
export function refuse(body: Json, refused: Readonly<Record<string, (value: unknown) => boolean>>): void {
  for (const [name, isRefused] of Object.entries(refused))
    if (body[name] !== undefined && body[name] !== null && isRefused(body[name]))
      throw new AppError('invalid_input', `${name}: Is not supported`)
}

const NAME = /^[\w-]{1,64}$/

/** @param functionOf where a tool has the function: the tool itself, or its member `function` */
export function toolsOf(
  tools: readonly Json[] | null | undefined,
  functionOf: 'function' | 'tool',
): ClientToolDeclaration[] {
  return (tools ?? []).map((tool, index) => {
    const at = `tools[${index}]`
    if (tool['type'] !== 'function')
      throw invalidMember(
        `${at}.type`,
        'Must be "function": the agent has tools of its own, others are not supported',
      )
    const path = functionOf === 'function' ? `${at}.function` : at
    const declared = functionOf === 'function' ? tool['function'] : tool
    if (!isJson(declared)) throw invalidMember(path, 'Must be an object')
    const { name, description, parameters } = declared
    if (typeof name !== 'string' || !NAME.test(name))
      throw invalidMember(`${path}.name`, 'Must be 1 to 64 letters, digits, "_" and "-"')
    const inputSchema = parameters ?? { type: 'object', properties: {} }
    if (!isJson(inputSchema)) throw invalidMember(`${path}.parameters`, 'Must be a JSON Schema')
    return { name, description: typeof description === 'string' ? description : '', inputSchema }
  })
}

export function toolChoiceOf(choice: string | Json | null | undefined): Pick<AgentOptions, 'toolChoice'> {
  if (choice === undefined || choice === null) return {}
  if (typeof choice === 'string') return { toolChoice: choice as ToolChoice }
  const { name } = isJson(choice['function']) ? choice['function'] : choice
  if (choice['type'] !== 'function' || typeof name !== 'string' || !NAME.test(name))
    throw invalidMember('tool_choice', 'Must be auto, none, required, or name a function')
  return { toolChoice: { type: 'tool', toolName: name } }
}

/** The schema that a format requests; `undefined` for text. */
export function schemaOf(format: Json | null | undefined, param: string): JsonSchema | undefined {
  if (!format || format['type'] === 'text') return undefined
  if (format['type'] === 'json_object') return { type: 'object' }
  if (format['type'] !== 'json_schema')
    throw invalidMember(`${param}.type`, 'Must be text, json_object or json_schema')
  // chat completions have it in a member, responses beside the type
  const { schema } = isJson(format['json_schema']) ? format['json_schema'] : format
  if (!isJson(schema) || schema['type'] !== 'object')
    throw invalidMember(
      `${param}.${'json_schema' in format ? 'json_schema.schema' : 'schema'}`,
      'Must be the JSON Schema of an object',
    )
  return schema
}

interface Sampling {
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
}

/** The options without those that are not there. */
export function optionsFrom(
  { temperature, top_p: topP }: Sampling,
  others: Nullable<AgentOptions>,
): AgentOptions {
  const all = { temperature, topP, ...others }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null))
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null }

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type UserPart = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>[number]

/** The names of the parts of user messages in both APIs. */
const TEXT_TYPES = new Set<unknown>(['text', 'input_text', 'output_text', 'refusal'])

/**
 * The content of a user's message.
 *
 * @throws AppError `invalid_input` naming the part.
 */
export function userContent(content: unknown, path: string): string | UserPart[] {
  if (typeof content === 'string') {
    if (content.trim() === '') throw invalidMember(path, 'Must not be empty')
    return content
  }
  if (!Array.isArray(content) || content.length === 0)
    throw invalidMember(path, 'Must be a text or a list of parts')
  return content.map((part: unknown, index) => userPart(part, `${path}[${index}]`))
}

function userPart(part: unknown, path: string): UserPart {
  if (!isJson(part)) throw invalidMember(path, 'Must be an object')
  const { type, text } = part
  if (TEXT_TYPES.has(type)) {
    if (typeof text !== 'string') throw invalidMember(`${path}.text`, 'Must be a text')
    return { type: 'text', text }
  }
  if (type === 'image_url' || type === 'input_image') {
    const given = part['image_url']
    const url = isJson(given) ? given['url'] : given
    return { type: 'image', image: requireUrl(url, `${path}.image_url`) }
  }
  if (type === 'file' || type === 'input_file') {
    const { file_data: data, file_url: url, filename } = isJson(part['file']) ? part['file'] : part
    const source = requireUrl(data ?? url, `${path}.file_data`)
    const [, mediaType = 'application/pdf'] = /^data:([\w.+-]+\/[\w.+-]+)/.exec(source) ?? []
    return { type: 'file', data: source, mediaType, ...(typeof filename === 'string' && { filename }) }
  }
  throw invalidMember(`${path}.type`, 'Must be a text, an image or a file')
}

function requireUrl(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalidMember(path, 'Must be a URL; uploaded files are not supported')
  if (/^data:[\w.+-]+\/[\w.+-]+;base64,/.test(value)) return value
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw invalidMember(path, 'Must be an http(s) or data URL')
}

/** The text of a content that can only be text. */
export function textContent(content: unknown, path: string): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalidMember(path, 'Must be a text or a list of parts')
  return content
    .map((part: unknown, index) => {
      const { type, text, refusal } = isJson(part) ? part : {}
      const value = type === 'refusal' ? refusal : text
      if (!TEXT_TYPES.has(type) || typeof value !== 'string')
        throw invalidMember(`${path}[${index}]`, 'Must be a text')
      return value
    })
    .join('')
}

/** A call of a tool by the model, of an earlier answer. */
export interface SentCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** @throws AppError `invalid_input` naming the member. */
export function sentCall(given: { readonly id: unknown; readonly call: unknown }, path: string): SentCall {
  const { name, arguments: args } = isJson(given.call) ? given.call : {}
  if (typeof given.id !== 'string' || typeof name !== 'string' || name === '' || typeof args !== 'string')
    throw invalidMember(path, 'Must have the id, the name and the arguments of a call')
  return { id: given.id, name, args }
}

/** The messages of an earlier answer, and of the results of its calls. */
export class Transcript {
  readonly messages: ModelMessage[] = []
  readonly #names = new Map<string, string>()
  readonly #earlier: readonly ModelMessage[]

  /** @param earlier the messages before them, whose calls may have no results yet */
  constructor(earlier: readonly ModelMessage[] = []) {
    this.#earlier = earlier
    for (const { role, content } of earlier)
      if (role === 'assistant' && typeof content !== 'string')
        for (const part of content)
          if (part.type === 'tool-call') this.#names.set(part.toolCallId, part.toolName)
  }

  add(message: ModelMessage): void {
    this.messages.push(message)
  }

  addAnswer(text: string, calls: readonly SentCall[]): void {
    for (const { id, name } of calls) this.#names.set(id, name)
    const parts = calls.map(({ id: toolCallId, name: toolName, args }) => ({
      type: 'tool-call' as const,
      toolCallId,
      toolName,
      input: parsed(args),
    }))
    const last = this.messages.at(-1)
    // the items of one answer are one message
    if (last?.role === 'assistant' && Array.isArray(last.content) && calls.length > 0 && text === '') {
      last.content.push(...parts)
      return
    }
    if (text === '' && parts.length === 0) return
    const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts]
    this.add({ role: 'assistant', content })
  }

  /** @throws AppError `invalid_input` for a result without its call. */
  addResult(toolCallId: unknown, text: string, path: string): void {
    const toolName = typeof toolCallId === 'string' ? this.#names.get(toolCallId) : undefined
    if (typeof toolCallId !== 'string' || toolName === undefined)
      throw invalidMember(path, 'Must be the id of a call of an earlier message')
    const part = {
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: { type: 'text' as const, value: text },
    }
    const last = this.messages.at(-1)
    if (last?.role === 'tool') last.content.push(part)
    else this.add({ role: 'tool', content: [part] })
  }

  /** @throws AppError `invalid_input` when there is nothing to answer, or a call has no result. */
  finish(param: string): readonly ModelMessage[] {
    const all = [...this.#earlier, ...this.messages]
    const answered = new Set(
      all.flatMap((message) =>
        message.role === 'tool'
          ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
          : [],
      ),
    )
    const open = [...this.#names.keys()].find((id) => !answered.has(id))
    if (open !== undefined) throw invalidMember(param, `The call "${open}" has no result`)
    if (!all.some(({ role }) => role === 'user'))
      throw invalidMember(param, 'A message of the user is required')
    return this.messages
  }
}

/** The arguments of a call are those that a model has written. */
function parsed(args: string): unknown {
  try {
    return JSON.parse(args === '' ? '{}' : args) as unknown
  } catch {
    return args
  }
}
