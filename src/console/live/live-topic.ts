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
export class LiveTopic {
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
