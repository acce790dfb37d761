import { EventHub } from '../lib/async/event-hub.ts'

/** A message of a topic. Frames are numbered from 1 for each topic, so that a reader notices missing ones. */
export interface Frame {
  readonly v: 1
  readonly topic: string
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly type: string
  readonly data: unknown
}

/** A stored frame as JSON. */
export interface StoredFrame {
  readonly seq: number
  readonly text: string
}

/** The frames of a topic that are stored and can be read from any number on. */
export interface StoredFrames {
  readonly name: string
  /** The number of the newest frame; 0 before the first. */
  newest(): Promise<number>
  /** Reads a page of the frames after a number, in order; empty when there are no more. */
  read(after: number): Promise<readonly StoredFrame[]>
  /** Calls `listener` when there may be new frames, until the returned function is called. */
  onMore(listener: () => void): () => void
  /** Frames between these, which are not stored and have no number. `onMore` is called when there are more. */
  live?(onMore: () => void): LiveFrames
}

/** The frames of a stored topic that are not stored, for one reader. */
export interface LiveFrames {
  /** Those that come before the stored frame behind number `last`. */
  take(last: number): readonly string[]
  close(): void
}

/** A subscriber of a topic. */
export interface TopicReader {
  /** Sends a message about a subscription. */
  send(message: object): void
  /** Sends a frame, or drops it when the reader is slow. */
  offer(text: string, topic: string): void
  /** Sends the frames after a number, or new ones only, as fast as the reader receives. */
  follow(frames: StoredFrames, after: number | undefined): () => void
}

/** The options of a subscription. */
export interface TopicOptions {
  /** `contract`: the stored frames only. */
  readonly include?: 'contract' | undefined
}

export interface Topic {
  /** Sends `reader` the frames after a number, or new ones only, until the returned function is called. */
  subscribe(reader: TopicReader, after: number | undefined): () => void
}

/** Creates a topic of stored frames. */
export function createStoredTopic(frames: StoredFrames): Topic {
  return { subscribe: (reader, after) => reader.follow(frames, after) }
}

type NewFrame = Pick<Frame, 'type' | 'data' | 'ts'>

/** A topic whose frames are not stored. A reader that missed frames is sent a gap message. */
export class LiveTopic implements Topic {
  readonly name: string
  readonly #hub = new EventHub<string>()
  #seq = 0

  constructor(name: string) {
    this.name = name
  }

  publish({ type, data, ts }: NewFrame): void {
    this.#seq++
    if (!this.hasSubscribers) return
    const frame: Frame = { v: 1, topic: this.name, seq: this.#seq, ts, type, data }
    this.#hub.publish(this.name, JSON.stringify(frame))
  }

  /** Whether the topic has subscribers. */
  get hasSubscribers(): boolean {
    return this.#hub.has(this.name)
  }

  /** Sends the number of the next frame to a reader that requests past frames. */
  sendGap(reader: TopicReader): void {
    reader.send(gapMessage(this.name, this.#seq + 1))
  }

  subscribe(reader: TopicReader, after: number | undefined): () => void {
    // a higher number dates from before a restart
    if (after !== undefined && after !== this.#seq) this.sendGap(reader)
    return this.#hub.subscribe(this.name, (text) => reader.offer(text, this.name))
  }
}

export interface OnDemandTopicOptions {
  readonly name: string
  /** Starts to call `publish` with new frames; the returned function stops it. */
  readonly feed: (publish: (news: NewFrame) => void) => () => void
  /** Called when the last subscriber has left. */
  readonly onIdle?: () => void
}

/** A live topic that runs only while it has subscribers: frames are neither created nor numbered otherwise. */
export class OnDemandTopic implements Topic {
  readonly #options: OnDemandTopicOptions
  readonly #topic: LiveTopic
  #stop: (() => void) | undefined

  constructor(options: OnDemandTopicOptions) {
    this.#options = options
    this.#topic = new LiveTopic(options.name)
  }

  subscribe(reader: TopicReader, after: number | undefined): () => void {
    if (after !== undefined) this.#topic.sendGap(reader)
    const unsubscribe = this.#topic.subscribe(reader, undefined)
    this.#stop ??= this.#options.feed((news) => this.#topic.publish(news))
    return () => {
      unsubscribe()
      if (this.#topic.hasSubscribers) return
      this.#stop?.()
      this.#stop = undefined
      this.#options.onIdle?.()
    }
  }
}

/** The message that the frames before number `from` are missing. */
export function gapMessage(topic: string, from: number): object {
  return { type: 'gap', topic, from }
}
