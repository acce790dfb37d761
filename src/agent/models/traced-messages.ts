/** The traced parts of a message of the AI SDK's model specification. */
export interface ModelMessageLike {
  readonly role: string
  readonly content: string | readonly ModelPart[]
}

export interface ModelPart {
  readonly type: string
  readonly [key: string]: unknown
}

/** The system instructions and the messages of a prompt (OpenTelemetry GenAI conventions). */
export function tracedPrompt(prompt: readonly ModelMessageLike[]) {
  const system = prompt.filter(({ role }) => role === 'system')
  const others = prompt.filter(({ role }) => role !== 'system')
  return {
    instructions: system.length === 0 ? undefined : system.flatMap(({ content }) => tracedParts(content)),
    messages: others.map(({ role, content }) => ({ role, parts: tracedParts(content) })),
  }
}

/** The output messages of a model (OpenTelemetry GenAI conventions). */
export function tracedAnswer(content: readonly ModelPart[], finishReason: string | undefined) {
  return [{ role: 'assistant', parts: tracedParts(content), finish_reason: finishReason }]
}

function tracedParts(content: string | readonly ModelPart[]): object[] {
  if (typeof content === 'string') return [{ type: 'text', content }]
  return content.flatMap((part) => tracedPart(part) ?? [])
}

function tracedPart(part: ModelPart): object | undefined {
  const { type, text, toolCallId: id, toolName: name, input, output, mediaType } = part
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, content: text }
    case 'tool-call':
      return { type: 'tool_call', id, name, arguments: typeof input === 'string' ? parsed(input) : input }
    case 'tool-result':
      return { type: 'tool_call_response', id, response: tracedOutput(output) }
    case 'file':
      // file contents are omitted: they may be several megabytes
      return { type: 'blob', mime_type: mediaType }
    default:
      return undefined
  }
}

/** The output of a tool without the contents of its files. */
function tracedOutput(output: unknown): unknown {
  const { type, value } = (output ?? {}) as { type?: unknown; value?: unknown }
  if (type !== 'content' || !Array.isArray(value)) return output
  const parts = value.map(({ data, ...part }: ModelPart) =>
    data === undefined ? part : { type: 'blob', mime_type: part['mediaType'] },
  )
  return { type, value: parts }
}

/** Tool arguments are text from the model, which may be invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
