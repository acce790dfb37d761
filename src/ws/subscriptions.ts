import type { WebSocket } from 'ws'
import type { ChannelRequest } from '../contract/channels.ts'
import { AppError } from '../lib/errors.ts'
import { FollowedTopics } from './followed-topics.ts'
import { Outbox } from './outbox.ts'
import type { StoredFrames, Topic, TopicOptions, TopicReader } from './topic.ts'

export interface SubscriptionsOptions {
  /** @throws AppError for an unknown topic. */
  readonly topic: (name: string, options: TopicOptions) => Topic
  /**
   * Returns the check of topics by the rules in force, which rejects with AppError for topics that the reader may not
   * read; `undefined` when it may read all.
   */
  readonly check?: () => ((name: string) => Promise<void>) | undefined
  /** Called when frames can't be read. */
  readonly onFailure: (error: unknown) => void
}

/** The maximum number of subscriptions of one reader. */
const MAX_TOPICS = 200
/** The maximum number of topics of one reader whose check has not ended. */
const MAX_WAITING = 200

/** The subscriptions of one reader of the console channel. */
export class Subscriptions implements TopicReader {
  readonly #options: SubscriptionsOptions
  readonly #outbox: Outbox
  readonly #followed: FollowedTopics
  readonly #ends = new Map<string, () => void>()
  #checked: Promise<void> = Promise.resolve()
  #waiting = 0
  /** Counts the changes of the rules. */
  #revision = 0
  #closed = false

  constructor(socket: WebSocket, options: SubscriptionsOptions) {
    this.#options = options
    this.#outbox = new Outbox(socket)
    this.#followed = new FollowedTopics(this.#outbox, options.onFailure)
  }

  /** @throws AppError `invalid_input` when too many topics wait for their check */
  handle(request: ChannelRequest): void {
    const { length } = request.topics
    if (length === 0) return
    if (this.#waiting === 0 && !this.#options.check?.()) return this.#handle(request)
    if (this.#waiting + length > MAX_WAITING)
      throw new AppError(
        'invalid_input',
        `Too many topics wait for their check: the maximum is ${MAX_WAITING}`,
      )
    this.#waiting += length
    this.#checked = this.#checked
      .then(() => this.#handleChecked(request))
      .finally(() => (this.#waiting -= length))
  }

  /**
   * Checks all subscriptions by new rules.
   *
   * @throws AppError for a topic that the reader may not read any more
   */
  async checkAgain(): Promise<void> {
    this.#revision++
    await Promise.all([...this.#ends.keys()].map((name) => this.#check(name)))
  }

  #handle({ type, topics }: ChannelRequest): void {
    for (const { topic, after, include } of topics) {
      try {
        if (type === 'subscribe') this.#subscribe(topic, after, { include })
        else this.#unsubscribe(topic)
      } catch (error) {
        this.reject(error)
      }
    }
  }

  /** Requests are handled in their order: an unsubscription waits for the check of the subscription before it. */
  async #handleChecked({ type, topics }: ChannelRequest): Promise<void> {
    for (const one of topics) {
      if (this.#closed) return
      try {
        if (type === 'subscribe') await this.#check(one.topic)
        if (!this.#closed) this.#handle({ type, topics: [one] })
      } catch (error) {
        this.reject(error)
      }
    }
  }

  async #check(name: string): Promise<void> {
    const revision = this.#revision
    await this.#options.check?.()?.(name)
    // the rules have changed meanwhile
    if (revision !== this.#revision) await this.#check(name)
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

  #subscribe(name: string, after: number | undefined, options: TopicOptions): void {
    const topic = this.#options.topic(name, options)
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
