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

/** A stream of frames that is not kept: who was away gets told that there is a gap. */
export class Topic {
  readonly name: string
  readonly #hub = new EventHub<Frame>()
  #seq = 0

  constructor(name: string) {
    this.name = name
  }

  /** The number of the newest frame; 0 before the first. */
  get seq(): number {
    return this.#seq
  }

  publish({ type, data }: Pick<Frame, 'type' | 'data'>, ts: number): void {
    this.#hub.publish(this.name, { v: 1, topic: this.name, seq: ++this.#seq, ts, type, data })
  }

  subscribe(listener: (frame: Frame) => void): () => void {
    return this.#hub.subscribe(this.name, listener)
  }
}
