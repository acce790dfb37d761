import { EventHub } from '../lib/event-hub.ts'

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

/** A stream of frames that is not kept: who was away gets told that there is a gap. */
export class LiveTopic implements Topic {
  readonly name: string
  readonly #hub = new EventHub<string>()
  #seq = 0

  constructor(name: string) {
    this.name = name
  }

  publish({ type, data }: Pick<Frame, 'type' | 'data'>, ts: number): void {
    this.#seq++
    if (!this.#hub.has(this.name)) return
    const frame: Frame = { v: 1, topic: this.name, seq: this.#seq, ts, type, data }
    this.#hub.publish(this.name, JSON.stringify(frame))
  }

  subscribe(reader: TopicReader, after: number | undefined): () => void {
    // a higher number is from before a restart
    if (after !== undefined && after !== this.#seq) reader.tell(gap(this.name, this.#seq + 1))
    return this.#hub.subscribe(this.name, (text) => reader.offer(text, this.name))
  }
}

/** Tells that frames are missing before the one with the number `from`. */
export function gap(topic: string, from: number): object {
  return { type: 'gap', topic, from }
}
