import type { WebSocket } from 'ws'
import type { ChannelRequest } from '../contract/channels.ts'
import { AppError } from '../lib/errors.ts'
import { Followers } from './followers.ts'
import { Outbox } from './outbox.ts'
import type { KeptFrames, Topic, TopicReader } from './topic.ts'

export interface SubscriptionsOptions {
  /** @throws AppError when there is no such topic. */
  readonly topic: (name: string) => Topic
  /** Called when what is to be sent can't be read. */
  readonly onFailure: (error: unknown) => void
}

/** How many topics one reader has at a time. */
const MAX_TOPICS = 200

/** What one reader of the console channel has subscribed to. */
export class Subscriptions implements TopicReader {
  readonly #options: SubscriptionsOptions
  readonly #outbox: Outbox
  readonly #followers: Followers
  readonly #ends = new Map<string, () => void>()

  constructor(socket: WebSocket, options: SubscriptionsOptions) {
    this.#options = options
    this.#outbox = new Outbox(socket)
    this.#followers = new Followers(this.#outbox, options.onFailure)
  }

  take({ type, topics }: ChannelRequest): void {
    for (const { topic, after } of topics) {
      try {
        if (type === 'subscribe') this.#subscribe(topic, after)
        else this.#unsubscribe(topic)
      } catch (error) {
        this.refuse(error)
      }
    }
  }

  /** Answers what can't be done. The socket stays, unless the fault is ours. */
  refuse(error: unknown): void {
    if (error instanceof AppError) this.tell({ type: 'error', error: error.message })
    else this.#options.onFailure(error)
  }

  end(): void {
    for (const end of this.#ends.values()) end()
    this.#ends.clear()
  }

  tell(message: object): void {
    this.#outbox.tell(message)
  }

  offer(text: string, topic: string): void {
    this.#outbox.offer(text, topic)
  }

  follow(frames: KeptFrames, after: number | undefined): () => void {
    return this.#followers.follow(frames, after)
  }

  #subscribe(name: string, after: number | undefined): void {
    const topic = this.#options.topic(name)
    this.#unsubscribe(name)
    if (this.#ends.size >= MAX_TOPICS)
      throw new AppError('invalid_input', `No more than ${MAX_TOPICS} topics at a time`)
    this.#ends.set(name, topic.subscribe(this, after))
  }

  #unsubscribe(name: string): void {
    this.#ends.get(name)?.()
    this.#ends.delete(name)
  }
}
