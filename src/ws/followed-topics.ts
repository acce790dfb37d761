import type { Outbox } from './outbox.ts'
import { gapMessage } from './topic.ts'
import type { LiveFrames, StoredFrames } from './topic.ts'

interface FollowedTopic {
  readonly frames: StoredFrames
  readonly position: Promise<Position>
  readonly live: LiveFrames | undefined
  /** There may be stored frames to read. */
  hasMore: boolean
  ended: boolean
}

interface Position {
  /** The number of the last frame sent. */
  after: number
  /** The number of the newest frame when the reader subscribed. */
  readonly newest: number
}

/**
 * The stored topics that one reader follows. They are read one page of one topic at a time, as fast as the reader
 * receives: a reader that stops costs the memory of a page, and misses nothing when it continues.
 */
export class FollowedTopics {
  readonly #outbox: Pick<Outbox, 'send' | 'sendAll'>
  readonly #onFailure: (error: unknown) => void
  /** Topics that may have frames to send. */
  readonly #waiting = new Set<FollowedTopic>()
  #running = false

  constructor(outbox: Pick<Outbox, 'send' | 'sendAll'>, onFailure: (error: unknown) => void) {
    this.#outbox = outbox
    this.#onFailure = onFailure
  }

  follow(frames: StoredFrames, after: number | undefined): () => void {
    const beginning = this.#findPosition(frames, after)
    // #sendPage awaits the same promise, and reports its failure
    beginning.catch(() => undefined)
    const live = frames.live?.(() => this.#wake(following))
    const following: FollowedTopic = { frames, position: beginning, live, hasMore: true, ended: false }
    const unsubscribe = frames.onMore(() => {
      following.hasMore = true
      this.#wake(following)
    })
    this.#wake(following)
    return () => {
      following.ended = true
      unsubscribe()
      live?.close()
    }
  }

  async #findPosition(frames: StoredFrames, after: number | undefined): Promise<Position> {
    const newest = await frames.newest()
    if (after === undefined || after <= newest) return { after: after ?? newest, newest }
    // a number above the newest one comes from another database
    this.#outbox.send(gapMessage(frames.name, newest + 1))
    return { after: newest, newest }
  }

  #wake(following: FollowedTopic): void {
    this.#waiting.add(following)
    if (this.#running) return
    this.#running = true
    this.#run().catch(this.#onFailure)
  }

  async #run(): Promise<void> {
    try {
      // topics that are added meanwhile are visited, too
      for (const following of this.#waiting) {
        this.#waiting.delete(following)
        if (following.ended) continue
        if (await this.#sendPage(following)) this.#waiting.add(following)
      }
    } finally {
      this.#running = false
    }
  }

  /** Sends a page of a topic. Resolves to `false` when there were no more frames. */
  async #sendPage(following: FollowedTopic): Promise<boolean> {
    const { frames, live, position: beginning } = following
    const place = await beginning
    // read behind the await: frames may have come meanwhile
    const { hasMore } = following
    following.hasMore = false
    const some = hasMore ? await frames.read(place.after) : []
    if (following.ended) return false
    const texts: string[] = []
    const addLive = () => texts.push(...(live?.take(place.after) ?? []))
    const skipTo = (seq: number) => texts.push(JSON.stringify(gapMessage(frames.name, seq)))
    for (const { seq, text } of some) {
      addLive()
      if (seq !== place.after + 1) skipTo(seq)
      texts.push(text)
      place.after = seq
    }
    if (some.length === 0 && place.after < place.newest) {
      skipTo(place.newest + 1)
      place.after = place.newest
    }
    addLive()
    await this.#outbox.sendAll(texts)
    following.hasMore ||= some.length > 0
    return some.length > 0
  }
}
