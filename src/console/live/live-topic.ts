/** A frame of a topic, as the server sends it. */
export interface Frame {
  readonly topic: string
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly type: string
  readonly data: unknown
}

export interface TopicListener {
  /** Something happened, in order. */
  onFrame?(frame: Frame): void
  /**
   * Frames may have been missed (a gap, a new connection) or don't come at all (no WebSocket: then this is
   * called every second). Fetch what is shown again.
   */
  onResync?(): void
}

/** What is known of one topic: who listens, and how far they have read. */
export class LiveTopic {
  readonly name: string
  readonly listeners = new Set<TopicListener>()
  seq: number | undefined
  /** The server does not send it: it is asked for every second instead. */
  polled = false

  constructor(name: string) {
    this.name = name
  }

  receive(frame: Frame): void {
    // numbers that start again are a server's that was started again
    const restarted = this.seq !== undefined && frame.seq <= this.seq
    this.seq = frame.seq
    if (restarted) this.resync()
    for (const listener of this.listeners) listener.onFrame?.(frame)
  }

  resync(): void {
    for (const listener of this.listeners) listener.onResync?.()
  }
}
