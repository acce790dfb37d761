import type { Outbox } from './outbox.ts'
import { gap } from './topic.ts'
import type { KeptFrames } from './topic.ts'

interface Following {
  readonly frames: KeptFrames
  readonly beginning: Promise<Place>
  ended: boolean
}

interface Place {
  /** The number of the last frame that was sent. */
  after: number
  /** The newest frame when the reader subscribed. */
  readonly newest: number
}

/**
 * The kept topics that one reader follows. They are read as fast as the reader takes them, a page of one topic at
 * a time: a reader that stops costs a page, and gets all of it when it goes on.
 */
export class Followers {
  readonly #outbox: Pick<Outbox, 'tell' | 'sendAll'>
  readonly #onFailure: (error: unknown) => void
  readonly #waiting = new Set<Following>()
  #running = false

  constructor(outbox: Pick<Outbox, 'tell' | 'sendAll'>, onFailure: (error: unknown) => void) {
    this.#outbox = outbox
    this.#onFailure = onFailure
  }

  follow(frames: KeptFrames, after: number | undefined): () => void {
    const beginning = this.#begin(frames, after)
    // whoever is next to send frames gets the failure
    beginning.catch(() => undefined)
    const following: Following = { frames, beginning, ended: false }
    const wake = () => this.#wake(following)
    const unsubscribe = frames.onMore(wake)
    wake()
    return () => {
      following.ended = true
      unsubscribe()
    }
  }

  async #begin(frames: KeptFrames, after: number | undefined): Promise<Place> {
    const newest = await frames.newest()
    if (after === undefined || after <= newest) return { after: after ?? newest, newest }
    // a higher number than there is comes from another database
    this.#outbox.tell(gap(frames.name, newest + 1))
    return { after: newest, newest }
  }

  #wake(following: Following): void {
    this.#waiting.add(following)
    if (this.#running) return
    this.#running = true
    this.#run().catch(this.#onFailure)
  }

  async #run(): Promise<void> {
    try {
      // those that are added meanwhile have their turn, too
      for (const following of this.#waiting) {
        this.#waiting.delete(following)
        if (following.ended) continue
        if (await this.#sendSome(following)) this.#waiting.add(following)
      }
    } finally {
      this.#running = false
    }
  }

  /** `false` when there are no more frames. */
  async #sendSome(following: Following): Promise<boolean> {
    const { frames, beginning } = following
    const place = await beginning
    const some = await frames.read(place.after)
    if (following.ended) return false
    const texts: string[] = []
    const skipTo = (seq: number) => texts.push(JSON.stringify(gap(frames.name, seq)))
    for (const { seq, text } of some) {
      if (seq !== place.after + 1) skipTo(seq)
      texts.push(text)
      place.after = seq
    }
    if (some.length === 0 && place.after < place.newest) {
      skipTo(place.newest + 1)
      place.after = place.newest
    }
    await this.#outbox.sendAll(texts)
    return some.length > 0
  }
}
