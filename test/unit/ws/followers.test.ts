import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { EventHub } from '../../../src/lib/async/event-hub.ts'
import { Followers } from '../../../src/ws/followers.ts'
import type { KeptFrames } from '../../../src/ws/topic.ts'

/** Frames with these numbers, of which the newest ever was `newest`. */
class Kept implements KeptFrames {
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

function reader(onSend: () => Promise<void> = () => sleep(0)) {
  const sent: string[] = []
  const failures: unknown[] = []
  const outbox = {
    tell: (message: object) => void sent.push(JSON.stringify(message)),
    sendAll: async (texts: readonly string[]) => {
      sent.push(...texts)
      await onSend()
    },
  }
  return { sent, failures, followers: new Followers(outbox, (error) => failures.push(error)) }
}

const gap = (from: number) => `{"type":"gap","topic":"kept","from":${from}}`

it('frames come in order, each once, also those that come meanwhile', async () => {
  const kept = new Kept(1, 2, 3)
  const { sent, followers } = reader()
  followers.follow(kept, 0)
  kept.add(4)
  await expect.poll(() => sent).toHaveLength(4)
  kept.add(5)
  await expect.poll(() => sent).toEqual([1, 2, 3, 4, 5].map((seq) => `frame ${seq}`))
})

it('missing frames are told, wherever they are', async () => {
  const kept = new Kept(3, 4, 7, 9)
  const { sent, followers } = reader()
  followers.follow(kept, 0)
  await expect.poll(() => sent).toEqual([gap(3), 'frame 3', 'frame 4', gap(7), 'frame 7', gap(9), 'frame 9'])
})

it('when the newest are missing, that is told too', async () => {
  const kept = new Kept(1, 2, 9)
  kept.read = async () => []
  const { sent, followers } = reader()
  followers.follow(kept, 2)
  await expect.poll(() => sent).toEqual([gap(10)])
})

it('from now on begins after what was there at the moment of asking', async () => {
  const kept = new Kept(1, 2)
  const { sent, followers } = reader()
  followers.follow(kept, undefined)
  kept.add(3)
  await expect.poll(() => sent).toEqual(['frame 3'])
})

it('nothing is read for a reader that has not taken what it was sent', async () => {
  const kept = new Kept(1, 2, 3, 4, 5)
  let take = () => undefined as void
  const { sent, followers } = reader(() => new Promise<void>((resolve) => (take = resolve)))
  followers.follow(kept, 0)
  await expect.poll(() => sent).toHaveLength(2)
  const other = new Kept(1)
  followers.follow(other, 0)
  kept.add(6)
  await sleep(5)
  expect([kept.reads, other.reads]).toEqual([1, 0])
  take()
  await expect.poll(() => other.reads + kept.reads).toBe(2)
})

it('topics have their turns', async () => {
  const [one, two] = [new Kept(1, 2, 3, 4), new Kept(1, 2, 3, 4)]
  const { sent, followers } = reader()
  followers.follow(one, 0)
  followers.follow(two, 0)
  await expect.poll(() => sent).toHaveLength(8)
  expect(sent.slice(0, 4)).toEqual(['frame 1', 'frame 2', 'frame 1', 'frame 2'])
})

it('nothing comes after the end', async () => {
  const kept = new Kept(1)
  const { sent, followers } = reader()
  const end = followers.follow(kept, 0)
  end()
  kept.add(2)
  await sleep(5)
  expect(sent).toEqual([])
})

it('a source that fails is told, and the others go on', async () => {
  const broken = new Kept(1)
  broken.read = () => Promise.reject(new Error('no disk'))
  const { sent, failures, followers } = reader()
  followers.follow(broken, 0)
  await expect.poll(() => failures).toHaveLength(1)
  const other = new Kept(1)
  followers.follow(other, 0)
  await expect.poll(() => sent).toEqual(['frame 1'])
})
