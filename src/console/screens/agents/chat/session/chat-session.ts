import type { Api } from '../../../../api/api.ts'
import type { CallOf } from '../../../../api/call.ts'
import type { UiMessage } from '../../../../../contract/endpoints/agents/conversation.ts'
import { Listeners } from '../../../../services/listeners.ts'
import { Draft } from './draft.ts'
import { AnswerBuilder } from './answer-builder.ts'
import type { ChatMessage, Run } from './chat-message.ts'
import { ApiError } from '../../../../../client/api-error.ts'
import { newId } from './chat-message.ts'
import { threadOfRuns } from './thread-of-runs.ts'
import { fromInput, toUiMessages } from './ui-messages.ts'
import { withStored } from './with-stored.ts'

export type ChatOptions = NonNullable<CallOf<'chat'>['body']['options']>

export interface ChatState {
  readonly messages: readonly ChatMessage[]
  /** An answer is streaming. */
  readonly isBusy: boolean
  /** The history of the conversation is loading. */
  readonly isLoading: boolean
  readonly loadError?: unknown
}

export interface ChatSessionOptions {
  readonly api: Api
  readonly agentId: string
  readonly conversationId: string
  /** The user of the conversation, if known. */
  readonly userId?: string | undefined
  /** Whether the server stores the conversation; otherwise each request contains all of it. */
  readonly remembers: boolean
  /** Called when an answer starts or ends. */
  readonly onChange: () => void
}

const PAGE = 200
const MAX_RUNS = 1000
const MAX_MESSAGES = 1000
/** No user token, none for this user, or nothing stored. */
const UNREADABLE: ReadonlySet<number> = new Set([401, 403, 404])
const FOLLOW_MS = 1500

/** One conversation with an agent. Streamed parts are rendered once per frame. */
export class ChatSession {
  readonly #options: ChatSessionOptions
  readonly #listeners = new Listeners()
  /** The next message. */
  readonly draft = new Draft()
  #state: ChatState = { messages: [], isBusy: false, isLoading: false }
  #abort: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** User of the conversation, if known. */
  #userId: string | undefined

  constructor(options: ChatSessionOptions) {
    this.#options = options
    this.#userId = options.userId
  }

  readonly state = (): ChatState => this.#state

  readonly subscribe = this.#listeners.add

  /** Fetches the earlier messages. */
  async load(): Promise<void> {
    if (this.#state.messages.length === 0) this.#set({ isLoading: true, loadError: undefined })
    try {
      const runs = await this.#runs()
      this.#userId ??= runs.at(-1)?.userId ?? undefined
      // only complete responses are stored; their runs may have been deleted
      const mayBeStored = runs.length === 0 || runs.some(({ status }) => status === 'completed')
      const stored = mayBeStored ? await this.#stored() : []
      // a message may have been sent meanwhile
      if (this.#abort) return
      this.#set({ messages: withStored(stored, threadOfRuns(runs)), isLoading: false })
      // an answer to another client is streaming
      if (runs.at(-1)?.status === 'running') this.#loadLater()
    } catch (loadError) {
      this.#set({ isLoading: false, loadError })
    }
  }

  send(text: string, options: ChatOptions): void {
    this.#send([...this.#state.messages, userMessage(newId(), text)], { options })
  }

  /** Replaces an earlier message and everything after it. */
  edit(id: string, text: string, options: ChatOptions): void {
    const index = this.#state.messages.findIndex((message) => message.id === id)
    if (index !== -1) this.#replaceFrom(index, userMessage(id, text), options)
  }

  /** Regenerates an answer and removes everything after it. */
  regenerate(id: string, options: ChatOptions): void {
    const { messages } = this.#state
    const answer = messages.findIndex((message) => message.id === id)
    const index = messages.findLastIndex(({ role }, at) => at < answer && role === 'user')
    const question = messages[index]
    if (question) this.#replaceFrom(index, question, options)
  }

  stop(): void {
    this.#abort?.abort()
    clearTimeout(this.#timer)
  }

  #loadLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.load(), FOLLOW_MS)
  }

  #replaceFrom(index: number, question: ChatMessage, options: ChatOptions): void {
    const { messages } = this.#state
    const replaces = messages.slice(index).some(({ facts }) => facts?.status === 'completed')
    this.#send([...messages.slice(0, index), question], { options, replaces })
  }

  #send(thread: readonly ChatMessage[], how: { options: ChatOptions; replaces?: boolean }): void {
    if (this.#abort) return
    clearTimeout(this.#timer)
    const builder = new AnswerBuilder()
    this.#abort = new AbortController()
    this.#set({ messages: [...thread, builder.message()], isBusy: true })
    void this.#answer(thread, how, { builder, signal: this.#abort.signal }).finally(() => {
      this.#abort = undefined
      this.#set({ messages: [...thread, builder.message()], isBusy: false })
      this.#options.onChange()
      // the history has what it waits for
      if (builder.waits) void this.load()
    })
  }

  async #answer(
    thread: readonly ChatMessage[],
    { options, replaces = false }: { options: ChatOptions; replaces?: boolean },
    { builder, signal }: { builder: AnswerBuilder; signal: AbortSignal },
  ): Promise<void> {
    const { api, agentId, conversationId, remembers } = this.#options
    // the server does not store incomplete answers: then the request contains the whole conversation
    const hasIncomplete = thread.some(({ facts }) => facts && facts.status !== 'completed')
    const sendsAll = replaces || hasIncomplete || !remembers
    const user = this.#userId === undefined ? {} : { userId: this.#userId }
    const body = {
      id: conversationId,
      messages: toUiMessages(sendsAll ? thread : thread.slice(-1)),
      trigger: sendsAll ? ('regenerate-message' as const) : ('submit-message' as const),
      options: { ...user, ...options },
    }
    let frame: number | undefined
    const show = () => {
      frame = undefined
      this.#set({ messages: [...thread, builder.message()] })
    }
    try {
      for await (const chunk of api.events('chat', { params: { id: agentId }, body, signal })) {
        builder.add(chunk)
        if (chunk.type === 'start') this.#options.onChange()
        frame ??= requestAnimationFrame(show)
      }
      builder.end({ status: 'error', error: new Error('The response ended early') })
    } catch (error) {
      builder.end(signal.aborted ? { status: 'stopped' } : { status: 'error', error: connectionError(error) })
    } finally {
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }

  async #runs(): Promise<Run[]> {
    const { api, agentId, conversationId } = this.#options
    const runs: Run[] = []
    for (let page = 1; runs.length < MAX_RUNS; page++) {
      const query = { conversationId, page: String(page), limit: String(PAGE) }
      const newer = await api.call('listAgentHistory', { params: { id: agentId }, query })
      runs.unshift(...newer.toReversed().filter((run) => this.#isOfUser(run)))
      if (newer.length < PAGE) break
    }
    return runs
  }

  #isOfUser({ userId }: Run): boolean {
    return this.#options.userId === undefined || this.#options.userId === userId
  }

  /** The stored messages. None if only the console key is known, which does not open them: then the runs have them. */
  async #stored(): Promise<ChatMessage[]> {
    const { api, agentId, conversationId, remembers } = this.#options
    const messages: UiMessage[] = []
    if (!remembers) return []
    try {
      while (messages.length < MAX_MESSAGES) {
        const older = await api.call('listMessages', {
          params: { id: agentId, conversationId },
          query: { limit: String(PAGE), before: messages[0]?.id, userId: this.#userId },
          quiet: true,
        })
        if (older.length === 0) break
        messages.unshift(...older)
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !UNREADABLE.has(error.status)) throw error
    }
    return fromInput(messages.map((message) => ({ ...message, id: `stored-${message.id}` })))
  }

  #set(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change }
    this.#listeners.notify()
  }
}

function userMessage(id: string, text: string): ChatMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

/** Browsers report a lost connection as "network error" only. */
function connectionError(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error
  return new Error('The connection was lost before the response was complete', { cause: error })
}
