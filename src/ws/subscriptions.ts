import type { WebSocket } from 'ws'
import type { ChannelRequest } from '../contract/channels.ts'
import { AppError } from '../lib/errors.ts'
import { FollowedTopics } from './followed-topics.ts'
import { Outbox } from './outbox.ts'
import type { StoredFrames, Topic, TopicReader } from './topic.ts'

export interface SubscriptionsOptions {
  /** @throws AppError for an unknown topic. */
  readonly topic: (name: string) => Topic
  /** Rejects with AppError for topics that the reader may not read; without it, all are allowed. */
  readonly check?: ((name: string) => Promise<void>) | undefined
  /** Called when frames can't be read. */
  readonly onFailure: (error: unknown) => void
}

/** The maximum number of subscriptions of one reader. */
const MAX_TOPICS = 200

/** The subscriptions of one reader of the console channel. */
export class Subscriptions implements TopicReader {
  readonly #options: SubscriptionsOptions
  readonly #outbox: Outbox
  readonly #followed: FollowedTopics
  readonly #ends = new Map<string, () => void>()
  #checked: Promise<void> = Promise.resolve()
  #closed = false

  constructor(socket: WebSocket, options: SubscriptionsOptions) {
    this.#options = options
    this.#outbox = new Outbox(socket)
    this.#followed = new FollowedTopics(this.#outbox, options.onFailure)
  }

  handle(request: ChannelRequest): void {
    if (this.#options.check) this.#checked = this.#checked.then(() => this.#handleChecked(request))
    else this.#handle(request)
  }

  #handle({ type, topics }: ChannelRequest): void {
    for (const { topic, after } of topics) {
      try {
        if (type === 'subscribe') this.#subscribe(topic, after)
        else this.#unsubscribe(topic)
      } catch (error) {
        this.reject(error)
      }
    }
  }

  /** Requests are handled in their order: an unsubscription waits for the check of the subscription before it. */
  async #handleChecked({ type, topics }: ChannelRequest): Promise<void> {
    for (const one of topics) {
      try {
        if (type === 'subscribe') await this.#options.check?.(one.topic)
        if (!this.#closed) this.#handle({ type, topics: [one] })
      } catch (error) {
        this.reject(error)
      }
    }
  }

  /** Sends an error message for an invalid request. Any other error ends the socket. */
  reject(error: unknown): void {
    if (error instanceof AppError) this.send({ type: 'error', error: error.message })
    else this.#options.onFailure(error)
  }

  close(): void {
    this.#closed = true
    for (const end of this.#ends.values()) end()
    this.#ends.clear()
  }

  send(message: object): void {
    this.#outbox.send(message)
  }

  offer(text: string, topic: string): void {
    this.#outbox.offer(text, topic)
  }

  follow(frames: StoredFrames, after: number | undefined): () => void {
    return this.#followed.follow(frames, after)
  }

  #subscribe(name: string, after: number | undefined): void {
    const topic = this.#options.topic(name)
    this.#unsubscribe(name)
    if (this.#ends.size >= MAX_TOPICS)
      throw new AppError('invalid_input', `Too many subscriptions: the maximum is ${MAX_TOPICS}`)
    this.#ends.set(name, topic.subscribe(this, after))
  }

  #unsubscribe(name: string): void {
    this.#ends.get(name)?.()
    this.#ends.delete(name)
  }
}
