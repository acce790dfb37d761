import { EventHub } from '../lib/async/event-hub.ts'

/** What is sent of a topic: numbered from 1, so that a reader sees when it missed something. */
export interface Frame {
  readonly v: 1
  readonly topic: string
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly type: string
  readonly data: unknown
}

/** A frame that is kept, as it is sent. */
export interface KeptFrame {
  readonly seq: number
  readonly text: string
}

/** Frames that can be read again, from any number on. */
export interface KeptFrames {
  readonly name: string
  /** The number of the newest frame; 0 before the first. */
  newest(): Promise<number>
  /** Some of the frames after a number, in order; none when there are no more. */
  read(after: number): Promise<readonly KeptFrame[]>
  /** Calls `listener` when there may be more, until the returned function is called. */
  onMore(listener: () => void): () => void
}

/** Who subscribes to a topic. */
export interface TopicReader {
  /** Sends what is there to say of a subscription. */
  tell(message: object): void
  /** Sends a frame if the reader keeps up; it does not come again. */
  offer(text: string, topic: string): void
  /** Sends the frames after a number, or those from now on, as fast as the reader takes them. */
  follow(frames: KeptFrames, after: number | undefined): () => void
}

export interface Topic {
  /** Gives `reader` the frames after a number, or those from now on, until the returned function is called. */
  subscribe(reader: TopicReader, after: number | undefined): () => void
}

/** A stream of frames that is kept. */
export function keptTopic(frames: KeptFrames): Topic {
  return { subscribe: (reader, after) => reader.follow(frames, after) }
}

type News = Pick<Frame, 'type' | 'data' | 'ts'>

/** A stream of frames that is not kept: who was away gets told that there is a gap. */
export class LiveTopic implements Topic {
  readonly name: string
  readonly #hub = new EventHub<string>()
  #seq = 0

  constructor(name: string) {
    this.name = name
  }

  publish({ type, data, ts }: News): void {
    this.#seq++
    if (!this.isHeard) return
    const frame: Frame = { v: 1, topic: this.name, seq: this.#seq, ts, type, data }
    this.#hub.publish(this.name, JSON.stringify(frame))
  }

  /** Whether anybody is subscribed. */
  get isHeard(): boolean {
    return this.#hub.has(this.name)
  }

  /** Tells whoever saw a frame, or wants all of them, what the next one will be. */
  tellGap(reader: TopicReader): void {
    reader.tell(gap(this.name, this.#seq + 1))
  }

  subscribe(reader: TopicReader, after: number | undefined): () => void {
    // a higher number is from before a restart
    if (after !== undefined && after !== this.#seq) this.tellGap(reader)
    return this.#hub.subscribe(this.name, (text) => reader.offer(text, this.name))
  }
}

export interface FedTopicOptions {
  readonly name: string
  /** Begins to call `publish` with what happens; the returned function ends it. */
  readonly feed: (publish: (news: News) => void) => () => void
  /** Called when nobody is subscribed any more. */
  readonly onIdle?: () => void
}

/** A live topic that is fed while somebody is subscribed: what happens meanwhile is not even counted. */
export class FedTopic implements Topic {
  readonly #options: FedTopicOptions
  readonly #topic: LiveTopic
  #stop: (() => void) | undefined

  constructor(options: FedTopicOptions) {
    this.#options = options
    this.#topic = new LiveTopic(options.name)
  }

  subscribe(reader: TopicReader, after: number | undefined): () => void {
    if (after !== undefined) this.#topic.tellGap(reader)
    const leave = this.#topic.subscribe(reader, undefined)
    this.#stop ??= this.#options.feed((news) => this.#topic.publish(news))
    return () => {
      leave()
      if (this.#topic.isHeard) return
      this.#stop?.()
      this.#stop = undefined
      this.#options.onIdle?.()
    }
  }
}

/** Tells that frames are missing before the one with the number `from`. */
export function gap(topic: string, from: number): object {
  return { type: 'gap', topic, from }
}
