import { Listeners } from '../services/listeners.ts'

/** A frame of a topic. */
export interface Frame {
  readonly topic: string
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly type: string
  readonly data: unknown
}

export interface TopicListener {
  /** Called for each frame, in order. */
  onFrame?(frame: Frame): void
  /**
   * Called when frames may have been missed (a gap, a new connection), and every second without a WebSocket: refetch
   * the shown data.
   */
  onResync?(): void
}

/** A subscribed topic: its listeners and its last sequence number. */
class LiveTopic {
  readonly name: string
  readonly listeners = new Set<TopicListener>()
  seq: number | undefined
  /** The server does not send this topic: listeners are resynced every second. */
  polled = false

  constructor(name: string) {
    this.name = name
  }

  receive(frame: Frame): void {
    // lower numbers mean that the server was restarted
    const restarted = this.seq !== undefined && frame.seq <= this.seq
    this.seq = frame.seq
    if (restarted) this.resync()
    for (const listener of this.listeners) listener.onFrame?.(frame)
  }

  resync(): void {
    for (const listener of this.listeners) listener.onResync?.()
  }
}

/**
 * State of the connection: `connecting` at first; `open`; `lost` while the server does not respond; `refused` while it
 * responds with an error; `polling` when requests succeed but no WebSocket can be opened.
 */
export type LiveState = 'connecting' | 'open' | 'lost' | 'refused' | 'polling'

/** Whether the server responds to requests, and with an error. */
export type Reach = 'ok' | 'refused' | 'unreachable'

interface LiveOptions {
  /** URL of the WebSocket with the current credentials. */
  readonly url: () => string
  /** Called before each handshake. */
  readonly reach: () => Promise<Reach>
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
  #attempt = 0
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

  /** Has all listeners refetch what they show. */
  resync(): void {
    for (const topic of this.#topics.values()) topic.resync()
  }

  async #connect(): Promise<void> {
    const attempt = ++this.#attempt
    const reach = await this.#options.reach()
    // retried meanwhile
    if (attempt !== this.#attempt) return
    if (reach !== 'ok') return this.#failed(reach === 'refused' ? 'refused' : 'lost')
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
      this.#refusals = opened ? 0 : this.#refusals + 1
      this.#failed(this.#refusals >= MAX_REFUSALS ? 'polling' : 'lost')
    })
  }

  #opened(): void {
    this.#failures = 0
    this.#refusals = 0
    this.#enter('open')
    const topics = [...this.#topics.values()]
    for (const topic of topics) topic.polled = false
    this.#subscribe(topics)
    // frames before the subscription were missed, also by a page that had its data before it was connected
    for (const topic of topics) topic.resync()
  }

  #failed(state: 'lost' | 'refused' | 'polling'): void {
    this.#failures++
    this.#enter(state)
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1))
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), state === 'polling' ? RETRY_WHILE_POLLING_MS : delay)
  }

  #subscribe(topics: readonly LiveTopic[]): void {
    const requested = topics.map(({ name, seq }) => ({
      topic: name,
      // what is not stored of executions is not shown
      include: 'contract',
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
