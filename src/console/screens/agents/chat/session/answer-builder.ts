import type { EventOf } from '../../../../api/call.ts'
import type { AnswerDetails, ChatMessage, ChatPart, ToolPart, Usage } from './chat-message.ts'
import { newId, firstText } from './chat-message.ts'
import { pendingCalls } from '../../../../../contract/pending-call.ts'

type Chunk = EventOf<'chat'> & Readonly<Record<string, unknown>>

/**
 * Builds an answer from the chunks of a UI message stream; one that waited continues from its message, without what was
 * `decided`.
 */
export class AnswerBuilder {
  readonly #key: string
  #id = newId()
  #details: AnswerDetails = { status: 'streaming' }
  #parts: ChatPart[] = []
  #approvals: ChatMessage['approvals']
  /** Index of the open text or reasoning part, by its id. */
  readonly #open = new Map<string, number>()
  readonly #startedAt = performance.now()

  constructor(waited?: ChatMessage, decided?: string) {
    this.#key = waited?.key ?? waited?.id ?? this.#id
    if (!waited) return
    this.#id = waited.id
    this.#parts = [...waited.parts]
    this.#approvals = waited.approvals?.filter(({ approvalId }) => approvalId !== decided)
    const { runId, traceId } = waited.details ?? {}
    this.#details = {
      status: 'streaming',
      ...(runId !== undefined && { runId }),
      ...(traceId !== undefined && { traceId }),
    }
  }

  get isFinal(): boolean {
    return this.#details.status !== 'streaming' && this.#details.status !== 'reconnecting'
  }

  /** Id of the run, once it is known. */
  get runId(): string | undefined {
    return this.#details.runId
  }

  /** The connection was lost; the answer may continue. */
  lose(): void {
    if (!this.isFinal) this.#details = { ...this.#details, status: 'reconnecting' }
  }

  /** The stream begins again at its first chunk. */
  restart(): void {
    this.#parts = []
    this.#open.clear()
    this.#details = { ...this.#details, status: 'streaming' }
  }

  /** The answer as it was recorded. */
  replace({ parts, approvals, details = { status: 'completed' } }: ChatMessage): void {
    this.#parts = [...parts]
    this.#approvals = approvals
    this.end(details)
  }

  add(chunk: Chunk): void {
    const { type } = chunk
    if (type === 'start') this.#start(chunk['messageId'])
    else if (type === 'text-start' || type === 'reasoning-start')
      this.#open.set(`${type.split('-')[0]} ${firstText(chunk['id'])}`, this.#push(textPart(type)))
    else if (type === 'text-delta' || type === 'reasoning-delta') this.#write(type, chunk)
    else if (type.startsWith('tool-')) this.#tool(chunk)
    else if (type.startsWith('data-')) this.#data(chunk)
    else if (type === 'file' || type === 'source-url' || type === 'source-document')
      this.#push({
        type: 'other',
        text: firstText(chunk['title'], chunk['url'], chunk['mediaType'], type),
      })
    else if (type === 'finish') this.#finish(chunk)
    else if (type === 'error')
      this.end({ status: 'error', error: new Error(firstText(chunk['errorText'], 'The response failed')) })
    else if (type === 'abort') this.end({ status: 'stopped' })
  }

  /** Ends the answer; later calls are ignored. */
  end(details: AnswerDetails): void {
    if (this.isFinal) return
    this.#details = { ...this.#details, ...details, tookMs: performance.now() - this.#startedAt }
  }

  /** The current state of the answer. */
  message(): ChatMessage {
    return {
      id: this.#id,
      key: this.#key,
      role: 'assistant',
      parts: [...this.#parts],
      details: this.#details,
      ...(this.#approvals && this.#approvals.length > 0 && { approvals: this.#approvals }),
    }
  }

  #start(messageId: unknown): void {
    if (typeof messageId !== 'string') return
    this.#id = messageId
    this.#details = { ...this.#details, runId: messageId }
  }

  #write(type: 'text-delta' | 'reasoning-delta', { id, delta }: Chunk): void {
    this.#setFirstToken()
    const key = `${type.split('-')[0]} ${firstText(id)}`
    const index = this.#open.get(key) ?? this.#push(textPart(type))
    this.#open.set(key, index)
    const part = this.#parts[index]
    if (part?.type === 'text' || part?.type === 'reasoning')
      this.#parts[index] = { ...part, text: part.text + firstText(delta) }
  }

  #tool(chunk: Chunk): void {
    this.#setFirstToken()
    const toolCallId = firstText(chunk['toolCallId'])
    const found = this.#parts.findIndex((part) => part.type === 'tool' && part.toolCallId === toolCallId)
    const added: ToolPart = {
      type: 'tool',
      toolCallId,
      toolName: firstText(chunk['toolName']),
      state: 'input-streaming',
      ...(typeof chunk['agentId'] === 'string' && { agentId: chunk['agentId'] }),
    }
    const index = found === -1 ? this.#push(added) : found
    const part = this.#parts[index]
    if (part?.type === 'tool') this.#parts[index] = updateTool(part, chunk)
  }

  /** A call of a sub-agent, or what a tool has reported. */
  #data(chunk: Chunk): void {
    const { type, id } = chunk
    const data = chunk['data'] as Readonly<Record<string, unknown>>
    if (type !== 'data-agent-tool') {
      // the end of the stream has the form of what waits
      if (chunk['transient'] === true || type === 'data-wait') return
      const key = `${type} ${firstText(id)}`
      const part = { type: 'other', text: `${type}: ${JSON.stringify(data)}` } as const
      const index = id === undefined ? this.#push(part) : (this.#open.get(key) ?? this.#push(part))
      this.#open.set(key, index)
      this.#parts[index] = part
      return
    }
    const { output, error, ...call } = data
    const of = { ...call, toolCallId: id }
    this.#tool({ ...of, type: 'tool-input-available' })
    if (error !== undefined) this.#tool({ ...of, type: 'tool-output-error', errorText: error })
    else if (output !== undefined) this.#tool({ ...of, type: 'tool-output-available', output })
  }

  #finish({ messageMetadata, finishReason }: Chunk): void {
    const metadata = (messageMetadata ?? {}) as Readonly<Record<string, unknown>>
    const { id, usage, model, traceId, reason } = metadata
    this.#approvals = pendingCalls(metadata)
    this.end({
      status: 'completed',
      ...(typeof id === 'string' && { runId: id }),
      ...(typeof model === 'string' && { model }),
      ...(typeof traceId === 'string' && { traceId }),
      ...(typeof finishReason === 'string' && { finishReason }),
      ...(typeof reason === 'string' && { reason }),
      ...(usage !== undefined && { usage: usage as Usage }),
    })
  }

  #setFirstToken(): void {
    if (this.#details.firstMs !== undefined) return
    this.#details = { ...this.#details, firstMs: performance.now() - this.#startedAt }
  }

  #push(part: ChatPart): number {
    return this.#parts.push(part) - 1
  }
}

function textPart(type: string): ChatPart {
  return { type: type.startsWith('text') ? 'text' : 'reasoning', text: '' }
}

function updateTool(part: ToolPart, chunk: Chunk): ToolPart {
  const errorText = firstText(chunk['errorText'])
  switch (chunk.type) {
    case 'tool-input-delta':
      return { ...part, inputText: (part.inputText ?? '') + firstText(chunk['inputTextDelta']) }
    case 'tool-input-available':
      return { ...part, state: 'input-available', input: chunk['input'] }
    case 'tool-input-error':
      return { ...part, state: 'output-error', input: chunk['input'], errorText }
    case 'tool-output-available':
      return {
        ...part,
        state: chunk['preliminary'] === true ? 'input-available' : 'output-available',
        output: chunk['output'],
      }
    case 'tool-output-error':
      return { ...part, state: 'output-error', errorText }
    case 'tool-output-denied':
      return { ...part, state: 'output-error', errorText: 'Denied' }
    default:
      return part
  }
}
