import { Listeners } from '../services/listeners.ts'
import { LiveTopic } from './live-topic.ts'
import type { Frame, TopicListener } from './live-topic.ts'

/**
 * `connecting` at first; `open`; `lost` while it is tried again; `polling` where the server answers requests
 * but no WebSocket comes to stand.
 */
export type LiveState = 'connecting' | 'open' | 'lost' | 'polling'

export interface LiveOptions {
  /** The WebSocket's URL with what opens it, as it is at the moment. */
  readonly url: () => string
  /** Whether requests are answered, and with what credentials: asked before each handshake. */
  readonly reachable: () => Promise<boolean>
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5000
const POLL_MS = 1000
/** Handshakes that fail in a row while requests are answered, before polling starts. */
const MAX_REFUSALS = 2
const RETRY_WHILE_POLLING_MS = 15_000

/**
 * One WebSocket for all live topics. After a break every topic is asked for from where it was read to, and
 * its listeners fetch again what may have been missed.
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

  /** Connects, and stays connected until the page goes. */
  start(): void {
    setInterval(() => this.#poll(), POLL_MS)
    void this.#connect()
  }

  /** Tries again at once, as after a key was given. */
  retry(): void {
    clearTimeout(this.#retry)
    this.#refusals = 0
    if (this.#socket) this.#socket.close()
    else void this.#connect()
  }

  /** Listens to a topic: `executions`, `execution:<id>`, `trace:<id>`, `logs`, `config`. */
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
    const again = this.#state !== 'connecting'
    this.#failures = 0
    this.#refusals = 0
    this.#enter('open')
    const topics = [...this.#topics.values()]
    for (const topic of topics) topic.polled = false
    this.#subscribe(topics)
    if (again) for (const topic of topics) topic.resync()
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
    const wanted = topics.map(({ name, seq }) => ({ topic: name, ...(seq !== undefined && { after: seq }) }))
    if (wanted.length > 0) this.#send('subscribe', wanted)
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

  /** `There is no topic "x"`: what can't be followed is asked for. */
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
