import type { ExecutionFeed } from '../engine/executions/execution-feed.ts'
import type { KeptFrame, KeptFrames } from './topic.ts'

export const EXECUTIONS = 'executions'

/** Executions that are created, and whose status changes, as items of the listing. */
export class ExecutionsFrames implements KeptFrames {
  readonly name = EXECUTIONS
  readonly #feed: ExecutionFeed
  /** The page that was read last: readers that keep up all want the same. */
  #page: { readonly after: number; readonly frames: Promise<readonly KeptFrame[]> } | undefined

  constructor(feed: ExecutionFeed) {
    this.#feed = feed
  }

  newest(): Promise<number> {
    return this.#feed.newestUpdate()
  }

  async read(after: number): Promise<readonly KeptFrame[]> {
    const known = this.#page
    if (known?.after === after) return known.frames
    const page = { after, frames: this.#read(after) }
    this.#page = page
    const frames = await page.frames.catch(() => [])
    // a page without frames, or that could not be read, may have some the next time
    if (frames.length === 0 && this.#page === page) this.#page = undefined
    return page.frames
  }

  onMore(listener: () => void): () => void {
    return this.#feed.onUpdates(listener)
  }

  async #read(after: number): Promise<KeptFrame[]> {
    const updates = await this.#feed.updates(after)
    return updates.map(({ number: seq, kind, at: ts, record: data }) => {
      const type = `execution:${kind}`
      return { seq, text: JSON.stringify({ v: 1, topic: EXECUTIONS, seq, ts, type, data }) }
    })
  }
}

/** The events of one execution, as its stream sends them. It need not be there yet. */
export function executionFrames(id: string, feed: ExecutionFeed): KeptFrames {
  const name = `execution:${id}`
  return {
    name,
    newest: () => feed.lastEvent(id),
    read: async (after) => {
      const notes = await feed.events(id, after)
      return notes.map(({ seq, type, at: ts, data }) => {
        const head = JSON.stringify({ v: 1, topic: name, seq, ts, type })
        return { seq, text: `${head.slice(0, -1)},"data":${data}}` }
      })
    },
    onMore: (listener) => feed.onEvents(id, listener),
  }
}
