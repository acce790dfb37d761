import type { ChatMessage, ChatPart, ToolPart } from './chat-message.ts'
import { newId, firstText } from './chat-message.ts'

type Loose = Readonly<Record<string, unknown>>

/** Messages in the AI SDK's UI message format. */
export function toUiMessages(messages: readonly ChatMessage[]): Loose[] {
  return messages
    .map(({ id, role, parts }) => ({ id, role, parts: parts.flatMap((part) => toUiParts(part)) }))
    .filter(({ parts }) => parts.length > 0)
}

function toUiParts(part: ChatPart): Loose[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  // reasoning and files are not sent back
  if (part.type !== 'tool') return []
  const { toolName, toolCallId, state, input, output, errorText } = part
  if (state === 'output-available')
    return [{ type: `tool-${toolName}`, toolCallId, state, input: input ?? {}, output: output ?? null }]
  if (state === 'output-error')
    return [{ type: `tool-${toolName}`, toolCallId, state, input: input ?? {}, errorText: errorText ?? '' }]
  return []
}

/** Reads the input of a run: a text, UI messages or model messages. */
export function fromInput(input: unknown): ChatMessage[] {
  if (typeof input === 'string')
    return [{ id: newId(), role: 'user', parts: [{ type: 'text', text: input }] }]
  if (!Array.isArray(input)) return []
  const read: ChatMessage[] = []
  for (const one of input as Loose[]) {
    if (one['role'] === 'tool') addResults(read, one)
    else if (one['role'] === 'user' || one['role'] === 'assistant') {
      const id = typeof one['id'] === 'string' ? one['id'] : newId()
      const details = one['role'] === 'assistant' && { details: { status: 'completed' } as const }
      read.push({ id, role: one['role'], parts: partsOf(one['parts'] ?? one['content']), ...details })
    }
  }
  return read
}

function partsOf(parts: unknown): ChatPart[] {
  if (typeof parts === 'string') return [{ type: 'text', text: parts }]
  return Array.isArray(parts) ? (parts as Loose[]).flatMap((part) => partOf(part)) : []
}

function partOf(part: Loose): ChatPart[] {
  const { type } = part
  if (typeof type !== 'string') return []
  if (type === 'text' || type === 'reasoning') return [{ type, text: firstText(part['text']) }]
  if (type === 'tool-call' || type === 'dynamic-tool' || type.startsWith('tool-'))
    return [toolPartOf(part, type)]
  if (type === 'file' || type === 'image')
    return [{ type: 'other', text: firstText(part['mediaType'], type) }]
  return []
}

function toolPartOf(part: Loose, type: string): ToolPart {
  const { toolName, toolCallId, state, input, output, errorText } = part
  const known = state === 'output-available' || state === 'output-error' ? state : 'input-available'
  return {
    type: 'tool',
    toolCallId: firstText(toolCallId),
    toolName: typeof toolName === 'string' ? toolName : type.slice('tool-'.length),
    state: known,
    input,
    ...(known === 'output-available' && { output }),
    ...(typeof errorText === 'string' && { errorText }),
  }
}

/** Adds the results of a tool message to their calls. */
function addResults(read: ChatMessage[], { content }: Loose): void {
  const results = Array.isArray(content) ? (content as Loose[]) : []
  const last = read.at(-1)
  if (!last) return
  const parts = last.parts.map((part): ChatPart => {
    if (part.type !== 'tool') return part
    const result = results.find(({ toolCallId }) => toolCallId === part.toolCallId)
    return result ? { ...part, state: 'output-available', output: result['output'] } : part
  })
  read[read.length - 1] = { ...last, parts }
}
