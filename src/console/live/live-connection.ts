import { Listeners } from '../services/listeners.ts'
import { LiveTopic } from './live-topic.ts'
import type { Frame, TopicListener } from './live-topic.ts'

/**
 * State of the connection: `connecting` at first; `open`; `lost` while it reconnects; `polling` when requests
 * succeed but no WebSocket can be opened.
 */
export type LiveState = 'connecting' | 'open' | 'lost' | 'polling'

export interface LiveOptions {
  /** URL of the WebSocket with the current credentials. */
  readonly url: () => string
  /** Whether the server responds to requests; called before each handshake. */
  readonly reachable: () => Promise<boolean>
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5000
const POLL_MS = 1000
/** Failed handshakes in a row, while requests succeed, after which polling starts. */
const MAX_REFUSALS = 2
const RETRY_WHILE_POLLING_MS = 15_000

/**
 * One WebSocket for all live topics. After a reconnect every topic is subscribed from its last sequence number,
 * and its listeners refetch what they may have missed.
 */
export class LiveConnection {
  readonly #options: LiveOptions
  readonly #topics = new Map<string, LiveTopic>()
  readonly #watchers = new Listeners()
  #socket: WebSocket | undefined
  #state: LiveState = 'connecting'
  #failures = 0
  #refusals = 0
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: LiveOptions) {
    this.#options = options
  }

  readonly state = (): LiveState => this.#state

  readonly watch = this.#watchers.add

  /** Connects, and reconnects until the page is closed. */
  start(): void {
    setInterval(() => this.#poll(), POLL_MS)
    void this.#connect()
  }

  /** Reconnects immediately, for example with a new key. */
  retry(): void {
    clearTimeout(this.#retry)
    this.#refusals = 0
    if (this.#socket) this.#socket.close()
    else void this.#connect()
  }

  /** Subscribes to a topic: `executions`, `execution:<id>`, `trace:<id>`, `logs`, `config`. Returns the unsubscribe function. */
  listen(name: string, listener: TopicListener, after?: number): () => void {
    const topic = this.#topics.get(name) ?? new LiveTopic(name)
    topic.listeners.add(listener)
    if (!this.#topics.has(name)) {
      topic.seq = after
      this.#topics.set(name, topic)
      this.#subscribe([topic])
    }
    return () => {
      topic.listeners.delete(listener)
      if (topic.listeners.size > 0 || this.#topics.get(name) !== topic) return
      this.#topics.delete(name)
      this.#send('unsubscribe', [{ topic: name }])
    }
  }

  async #connect(): Promise<void> {
    if (!(await this.#options.reachable())) return this.#failed(false)
    let opened = false
    const socket = new WebSocket(this.#options.url())
    this.#socket = socket
    socket.addEventListener('open', () => {
      opened = true
      this.#opened()
    })
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
    socket.addEventListener('close', () => {
      this.#socket = undefined
      this.#failed(!opened)
    })
  }

  #opened(): void {
    const isReconnect = this.#state !== 'connecting'
    this.#failures = 0
    this.#refusals = 0
    this.#enter('open')
    const topics = [...this.#topics.values()]
    for (const topic of topics) topic.polled = false
    this.#subscribe(topics)
    if (isReconnect) for (const topic of topics) topic.resync()
  }

  #failed(refused: boolean): void {
    this.#failures++
    this.#refusals = refused ? this.#refusals + 1 : 0
    const polling = this.#refusals >= MAX_REFUSALS
    this.#enter(polling ? 'polling' : 'lost')
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1))
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), polling ? RETRY_WHILE_POLLING_MS : delay)
  }

  #subscribe(topics: readonly LiveTopic[]): void {
    const requested = topics.map(({ name, seq }) => ({
      topic: name,
      ...(seq !== undefined && { after: seq }),
    }))
    if (requested.length > 0) this.#send('subscribe', requested)
  }

  #send(type: 'subscribe' | 'unsubscribe', topics: readonly { topic: string; after?: number }[]): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type, topics }))
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as Frame & { error?: string }
    if (message.type === 'error') return this.#topicRefused(message.error ?? '')
    const topic = this.#topics.get(message.topic)
    if (!topic) return
    if (message.type === 'gap' || message.type === 'dropped') return topic.resync()
    if (typeof message.seq === 'number') topic.receive(message)
  }

  /** Falls back to polling for a topic that the server does not have. */
  #topicRefused(error: string): void {
    const topic = this.#topics.get(/"([^"]+)"/.exec(error)?.[1] ?? '')
    if (topic) topic.polled = true
  }

  #poll(): void {
    if (document.visibilityState === 'hidden') return
    for (const topic of this.#topics.values())
      if (this.#state === 'polling' || (this.#state === 'open' && topic.polled)) topic.resync()
  }

  #enter(state: LiveState): void {
    if (state === this.#state) return
    this.#state = state
    this.#watchers.notify()
  }
}
