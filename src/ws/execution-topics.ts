import type { ExecutionFeed } from '../engine/executions/execution-feed.ts'
import type { LiveFrames, StoredFrame, StoredFrames, TopicOptions } from './topic.ts'

export const EXECUTIONS = 'executions'

/** The frames of new executions and status changes, with the execution as listed. */
export class ExecutionListFrames implements StoredFrames {
  readonly name = EXECUTIONS
  readonly #feed: ExecutionFeed
  /** The last page that was read: readers that keep up all read the same one. */
  #page: { readonly after: number; readonly frames: Promise<readonly StoredFrame[]> } | undefined

  constructor(feed: ExecutionFeed) {
    this.#feed = feed
  }

  newest(): Promise<number> {
    return this.#feed.newestUpdate()
  }

  async read(after: number): Promise<readonly StoredFrame[]> {
    const known = this.#page
    if (known?.after === after) return known.frames
    const page = { after, frames: this.#read(after) }
    this.#page = page
    const frames = await page.frames.catch(() => [])
    // an empty page, or one that could not be read, is read again the next time
    if (frames.length === 0 && this.#page === page) this.#page = undefined
    return page.frames
  }

  onMore(listener: () => void): () => void {
    return this.#feed.onUpdates(listener)
  }

  async #read(after: number): Promise<StoredFrame[]> {
    const updates = await this.#feed.updates(after)
    return updates.map(({ number: seq, kind, at: ts, record: data }) => {
      const type = `execution:${kind}`
      return { seq, text: JSON.stringify({ v: 1, topic: EXECUTIONS, seq, ts, type, data }) }
    })
  }
}

/** The frames of the events of an execution, as its stream sends them. The execution need not exist yet. */
export function executionEventFrames(
  id: string,
  feed: ExecutionFeed,
  { include }: TopicOptions = {},
): StoredFrames {
  const name = `execution:${id}`
  return {
    ...(include === undefined && { live: (onMore: () => void) => liveFrames(name, feed.live(id, onMore)) }),
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

function liveFrames(topic: string, queue: LiveFrames): LiveFrames {
  return {
    take: (last) =>
      queue.take(last).map((text) => {
        const data = JSON.parse(text) as { readonly type: string; readonly timestamp: string }
        return JSON.stringify({ v: 1, topic, ts: Date.parse(data.timestamp), type: data.type, data })
      }),
    close: () => queue.close(),
  }
}
