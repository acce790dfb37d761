import type { Api } from '../../../../api/api.ts'
import type { CallOf } from '../../../../api/call.ts'
import { errorMessage } from '../../../../api/request-failure.ts'
import { Listeners } from '../../../../services/listeners.ts'
import { AnswerBuilder } from './answer-builder.ts'
import { newId } from './chat-message.ts'
import type { ChatMessage, Run } from './chat-message.ts'
import { loadThread } from './load-thread.ts'
import { isOutage, passed, runningAnswer, stopAnswers, withFirst } from './running-answer.ts'
import type { Chunks } from './running-answer.ts'
import { toUiMessages } from './ui-messages.ts'
import { keyOf } from './conversations.ts'

export type ChatOptions = NonNullable<CallOf<'chat'>['body']['options']>
export type ApprovalResponse = CallOf<'decideApprovals'>['body']['approvals'][number]

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
  /** Shows the message of an error that belongs to no message. */
  readonly onError: (message: string) => void
}

/** An answer that is read from the server. */
interface Reading {
  readonly builder: AnswerBuilder
  readonly abort: AbortController
  /** Whether it continues at the server when nobody reads it. */
  readonly outlives: boolean
  shown: ChatMessage
}

const FOLLOW_MS = 1500
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 8000
const LOST = 'The connection was lost before the response was complete'

/** One conversation with an agent. Streamed parts are rendered once per frame. */
export class ChatSession {
  readonly #options: ChatSessionOptions
  readonly #listeners = new Listeners()
  /** The next message. */
  readonly draft = new Draft()
  #state: ChatState = { messages: [], isBusy: false, isLoading: false }
  readonly #readings = new Set<Reading>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** User of the conversation, if known. */
  #userId: string | undefined
  /** The newest run that the history had. */
  #newest: string | undefined

  constructor(options: ChatSessionOptions) {
    this.#options = options
    this.#userId = options.userId
  }

  readonly state = (): ChatState => this.#state

  readonly subscribe = this.#listeners.add

  /** Fetches the earlier messages, and continues to show an answer in progress. */
  async load(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#state.messages.length === 0) this.#set({ isLoading: true, loadError: undefined })
    try {
      const { messages, newest } = await loadThread(this.#options)
      this.#userId ??= newest?.userId ?? undefined
      // a message may have been sent meanwhile
      if (this.#readings.size > 0) return
      this.#newest = newest?.id
      this.#set({ messages, isLoading: false })
      if (newest?.status === 'running') await this.#resume(messages.find(({ id }) => id === newest.id))
    } catch (loadError) {
      this.#set({ isLoading: false, loadError })
    }
  }

  /** Loads what other pages and clients have added, when the newest runs of the history show that. */
  notice(runs: readonly Run[]): void {
    const { messages, isLoading } = this.#state
    const { conversationId, userId } = this.#options
    const newest = runs.find(
      (run) => run.conversationId === conversationId && (userId === undefined || run.userId === userId),
    )
    if (!newest || isLoading || this.#readings.size > 0) return
    const last = messages.at(-1)
    // a message that was not sent is here only
    if (last?.details?.status === 'error' && last.details.runId === undefined) return
    const known = messages.find(({ details }) => details?.runId === newest.id)
    const isDecided = known?.approvals !== undefined && newest.status !== 'suspended'
    const isAdded = known === undefined && newest.id !== this.#newest
    this.#newest = newest.id
    if (isDecided || isAdded) void this.load()
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

  /** Decides about a call of an answer, which continues. Resolves when the decision is stored; rejects if it is refused. */
  async decide(runId: string, response: ApprovalResponse, wait?: string): Promise<void> {
    const { api, agentId } = this.#options
    const abort = new AbortController()
    const call = { params: { id: agentId, runId }, signal: abort.signal }
    const resumed = { stepId: wait, resumeData: response.input }
    const chunks = (
      wait === undefined
        ? api.events('decideApprovals', { ...call, body: { approvals: [response] } })
        : api.events('resumeWaitingRun', { ...call, body: resumed })
    ) as Chunks
    const first = await chunks.next()
    const shown = this.#state.messages.find(({ id }) => id === runId)
    if (first.done || !shown) return this.load()
    // the stream of an answer whose tool waited begins at its start
    const builder = wait === undefined ? new AnswerBuilder(shown, response.approvalId) : new AnswerBuilder()
    const reading = { builder, abort, outlives: true, shown }
    void this.#read(reading, withFirst(first.value, chunks))
  }

  /** Ends the answers in progress. */
  stop(): void {
    const readings = [...this.#readings]
    if (readings.length === 0) return
    this.disconnect()
    const outlives = readings.some((reading) => reading.outlives)
    stopAnswers(this.#options, outlives).catch((error: unknown) => {
      this.#options.onError(`The response was not stopped: ${errorMessage(error)}`)
      void this.load()
    })
  }

  /** Stops reading. Answers that don't outlive their client end. */
  disconnect(): void {
    for (const { abort } of this.#readings) abort.abort()
    clearTimeout(this.#timer)
  }

  /** Shows an answer that another page requested, or this one before it was loaded again. */
  async #resume(shown: ChatMessage | undefined): Promise<void> {
    const abort = new AbortController()
    const chunks = runningAnswer(this.#options, abort.signal)
    const first = await chunks.next()
    if (this.#readings.size > 0) return abort.abort()
    if (first.done || !shown) {
      this.#timer = setTimeout(() => void this.load(), FOLLOW_MS)
      return
    }
    const reading = { builder: new AnswerBuilder(), abort, outlives: true, shown }
    void this.#read(reading, withFirst(first.value, chunks))
  }

  #replaceFrom(index: number, question: ChatMessage, options: ChatOptions): void {
    const { messages } = this.#state
    const replaces = messages.slice(index).some(({ details }) => details?.status === 'completed')
    this.#send([...messages.slice(0, index), question], { options, replaces })
  }

  #send(
    thread: readonly ChatMessage[],
    { options, replaces = false }: { options: ChatOptions; replaces?: boolean },
  ): void {
    if (this.#readings.size > 0) return
    clearTimeout(this.#timer)
    const { api, agentId, conversationId, remembers } = this.#options
    // the server does not store incomplete answers: then the request contains the whole conversation
    const hasIncomplete = thread.some(({ details }) => details && details.status !== 'completed')
    const sendsAll = replaces || hasIncomplete || !remembers
    const user = this.#userId === undefined ? {} : { userId: this.#userId }
    const body = {
      id: conversationId,
      messages: toUiMessages(sendsAll ? thread : thread.slice(-1)),
      trigger: sendsAll ? ('regenerate-message' as const) : ('submit-message' as const),
      options: { ...user, ...options },
    }
    const builder = new AnswerBuilder()
    const abort = new AbortController()
    const shown = builder.message()
    this.#set({ messages: [...thread, shown] })
    const chunks = api.events('chat', { params: { id: agentId }, body, signal: abort.signal })
    void this.#read({ builder, abort, outlives: options.resumable === true, shown }, chunks)
  }

  /** Reads an answer to its end. */
  async #read(reading: Reading, chunks: Chunks): Promise<void> {
    this.#readings.add(reading)
    this.#set({ isBusy: true })
    this.#options.onChange()
    await this.#take(reading, chunks)
    this.#readings.delete(reading)
    this.#show(reading)
    this.#set({ isBusy: this.#readings.size > 0 })
    this.#options.onChange()
  }

  async #take(reading: Reading, chunks: Chunks): Promise<void> {
    const { builder, abort } = reading
    try {
      await this.#build(reading, chunks)
      if (!builder.isFinal) await this.#reconnect(reading)
    } catch (error) {
      if (abort.signal.aborted) builder.end({ status: 'stopped' })
      else if (error instanceof TypeError) await this.#reconnect(reading)
      else builder.end({ status: 'error', error })
    }
  }

  async #build(reading: Reading, chunks: Chunks): Promise<void> {
    const { builder } = reading
    let frame: number | undefined
    try {
      for await (const chunk of chunks) {
        builder.add(chunk)
        if (chunk.type === 'start') this.#options.onChange()
        frame ??= requestAnimationFrame(() => {
          frame = undefined
          this.#show(reading)
        })
      }
    } finally {
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }

  /** Waits until the server answers, and continues with what became of the answer meanwhile. */
  async #reconnect(reading: Reading): Promise<void> {
    const { builder, abort } = reading
    const { signal } = abort
    for (let delay = FIRST_RETRY_MS; !builder.isFinal; delay = Math.min(MAX_RETRY_MS, delay * 2)) {
      builder.lose()
      this.#show(reading)
      await passed(delay, signal)
      if (signal.aborted) return builder.end({ status: 'stopped' })
      try {
        const chunks = runningAnswer(this.#options, signal)
        const first = await chunks.next()
        if (!first.done) {
          delay = FIRST_RETRY_MS
          builder.restart()
          await this.#build(reading, withFirst(first.value, chunks))
        } else await this.#takeEnd(builder)
      } catch (error) {
        if (!isOutage(error) && !signal.aborted) builder.end({ status: 'error', error })
      }
    }
  }

  /** Takes the end of an answer from the history, if it has ended. */
  async #takeEnd(builder: AnswerBuilder): Promise<void> {
    const { messages, newest } = await loadThread(this.#options)
    const { runId } = builder
    if (runId !== undefined && newest?.id === runId && newest.status === 'running') return
    const recorded = messages.find(({ id, details }) => id === runId && details?.status === 'completed')
    if (recorded) builder.replace(recorded)
    else builder.end({ status: 'error', error: new Error(LOST) })
  }

  #show(reading: Reading): void {
    const { shown } = reading
    reading.shown = reading.builder.message()
    this.#set({
      messages: this.#state.messages.map((message) => (message === shown ? reading.shown : message)),
    })
  }

  #set(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change }
    this.#listeners.notify()
  }
}

function userMessage(id: string, text: string): ChatMessage {
  return { id, key: id, role: 'user', parts: [{ type: 'text', text }] }
}

/** The message that is being written in a conversation. Kept while other conversations and tabs are shown. */
export class Draft {
  readonly #listeners = new Listeners()
  #text = ''

  readonly subscribe = this.#listeners.add

  readonly text = (): string => this.#text

  set(text: string): void {
    this.#text = text
    this.#listeners.notify()
  }
}

/** The conversations opened on this page. Answers keep streaming while another conversation is shown. */
export class ChatSessions {
  readonly #options: Omit<ChatSessionOptions, 'conversationId' | 'remembers' | 'userId'>
  readonly #sessions = new Map<string, ChatSession>()

  constructor(options: Omit<ChatSessionOptions, 'conversationId' | 'remembers' | 'userId'>) {
    this.#options = options
  }

  /** The conversation with this id; a `fresh` one has no history to fetch. */
  of(
    conversationId: string,
    { remembers, fresh, userId }: { remembers: boolean; fresh: boolean; userId?: string | undefined },
  ): ChatSession {
    const key = keyOf({ id: conversationId, userId: userId ?? null })
    const known = this.#sessions.get(key)
    if (known) return known
    const session = new ChatSession({ ...this.#options, conversationId, remembers, userId })
    this.#sessions.set(key, session)
    if (!fresh) void session.load()
    return session
  }

  /** Forgets a conversation that was deleted, and stops reading its answer. */
  forget({ id, userId }: { readonly id: string; readonly userId: string | null }): void {
    for (const key of [keyOf({ id, userId }), keyOf({ id, userId: null })]) {
      this.#sessions.get(key)?.disconnect()
      this.#sessions.delete(key)
    }
  }

  /** Stops reading all answers. */
  disconnect(): void {
    for (const session of this.#sessions.values()) session.disconnect()
  }
}
