import { expect, it } from 'vitest'
import { EventHub } from '../../../src/lib/async/event-hub.ts'
import { FollowedTopics } from '../../../src/ws/followed-topics.ts'
import type { StoredFrames } from '../../../src/ws/topic.ts'
import { turns } from '../../support/turns.ts'

/** Stored frames with these numbers. */
class NumberedFrames implements StoredFrames {
  readonly name = 'kept'
  readonly hub = new EventHub()
  numbers: number[]
  reads = 0

  constructor(...numbers: number[]) {
    this.numbers = numbers
  }

  async newest(): Promise<number> {
    return Math.max(0, ...this.numbers)
  }

  async read(after: number) {
    this.reads++
    const page = this.numbers.filter((seq) => seq > after).slice(0, 2)
    return page.map((seq) => ({ seq, text: `frame ${seq}` }))
  }

  onMore(listener: () => void): () => void {
    return this.hub.subscribe('more', listener)
  }

  add(seq: number): void {
    this.numbers.push(seq)
    this.hub.publish('more', undefined)
  }
}

function reader(onSend: () => Promise<void> = () => turns(1)) {
  const sent: string[] = []
  const failures: unknown[] = []
  const outbox = {
    send: (message: object) => void sent.push(JSON.stringify(message)),
    sendAll: async (texts: readonly string[]) => {
      sent.push(...texts)
      await onSend()
    },
  }
  return { sent, failures, topics: new FollowedTopics(outbox, (error) => failures.push(error)) }
}

const gap = (from: number) => `{"type":"gap","topic":"kept","from":${from}}`

it('frames are sent once and in order, also those that are added meanwhile', async () => {
  const kept = new NumberedFrames(1, 2, 3)
  const { sent, topics } = reader()
  topics.follow(kept, 0)
  kept.add(4)
  await expect.poll(() => sent).toHaveLength(4)
  kept.add(5)
  await expect.poll(() => sent).toEqual([1, 2, 3, 4, 5].map((seq) => `frame ${seq}`))
})

it('a frame that is stored right behind a live one is sent', async () => {
  const kept = new NumberedFrames(1)
  const live: string[] = []
  let onLive = () => undefined as void
  const frames: StoredFrames = Object.assign(kept, {
    live: (onMore: () => void) => {
      onLive = onMore
      return { take: () => live.splice(0), close: () => undefined }
    },
  })
  const { sent, topics } = reader()
  topics.follow(frames, 0)
  await expect.poll(() => sent).toEqual(['frame 1'])
  await turns()
  live.push('live')
  onLive()
  kept.add(2)
  await expect.poll(() => sent).toEqual(['frame 1', 'live', 'frame 2'])
})

it('a gap message is sent in place of missing frames', async () => {
  const kept = new NumberedFrames(3, 4, 7, 9)
  const { sent, topics } = reader()
  topics.follow(kept, 0)
  await expect.poll(() => sent).toEqual([gap(3), 'frame 3', 'frame 4', gap(7), 'frame 7', gap(9), 'frame 9'])
})

it('a gap message is sent when the newest frames are missing', async () => {
  const kept = new NumberedFrames(1, 2, 9)
  kept.read = async () => []
  const { sent, topics } = reader()
  topics.follow(kept, 2)
  await expect.poll(() => sent).toEqual([gap(10)])
})

it('without a number, only frames after the subscription are sent', async () => {
  const kept = new NumberedFrames(1, 2)
  const { sent, topics } = reader()
  topics.follow(kept, undefined)
  kept.add(3)
  await expect.poll(() => sent).toEqual(['frame 3'])
})

it('nothing is read for a reader that has not received the previous page', async () => {
  const kept = new NumberedFrames(1, 2, 3, 4, 5)
  let receive = () => undefined as void
  const { sent, topics } = reader(() => new Promise<void>((resolve) => (receive = resolve)))
  topics.follow(kept, 0)
  await expect.poll(() => sent).toHaveLength(2)
  const other = new NumberedFrames(1)
  topics.follow(other, 0)
  kept.add(6)
  await turns()
  expect([kept.reads, other.reads]).toEqual([1, 0])
  receive()
  await expect.poll(() => other.reads + kept.reads).toBe(2)
})

it('topics take turns, a page each', async () => {
  const [one, two] = [new NumberedFrames(1, 2, 3, 4), new NumberedFrames(1, 2, 3, 4)]
  const { sent, topics } = reader()
  topics.follow(one, 0)
  topics.follow(two, 0)
  await expect.poll(() => sent).toHaveLength(8)
  expect(sent.slice(0, 4)).toEqual(['frame 1', 'frame 2', 'frame 1', 'frame 2'])
})

it('nothing is sent after the end of a subscription', async () => {
  const kept = new NumberedFrames(1)
  const { sent, topics } = reader()
  const end = topics.follow(kept, 0)
  end()
  kept.add(2)
  await turns()
  expect(sent).toEqual([])
})

it('a failed read is reported, and other topics continue', async () => {
  const broken = new NumberedFrames(1)
  broken.read = () => Promise.reject(new Error('no disk'))
  const { sent, failures, topics } = reader()
  topics.follow(broken, 0)
  await expect.poll(() => failures).toHaveLength(1)
  const other = new NumberedFrames(1)
  topics.follow(other, 0)
  await expect.poll(() => sent).toEqual(['frame 1'])
})
