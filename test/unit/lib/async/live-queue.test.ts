import { expect, test } from 'vitest'
import { EventHub } from '../../../../src/lib/async/event-hub.ts'
import { BoundedQueue, type LiveItem, LiveQueue, MAX_WAITING } from '../../../../src/lib/async/live-queue.ts'

test('a full queue drops the oldest items, and keeps one that is larger than the limit', () => {
  const queue = new BoundedQueue<string>()
  for (const item of ['a', 'b', 'c']) queue.add(item, MAX_WAITING / 2)
  expect(queue.take(() => true)).toEqual(['b', 'c'])
  queue.add('small', 1)
  queue.add('huge', MAX_WAITING * 2)
  expect(queue.take(() => true)).toEqual(['huge'])
  queue.add('after', MAX_WAITING)
  expect(queue.take(() => true)).toEqual(['after'])
})

test('an item takes the place of an unread one with its key, at the end of the queue', () => {
  const queue = new BoundedQueue<string>()
  queue.add('half', 1, 'progress')
  queue.add('other', 1)
  queue.add('done', 1, 'progress')
  expect(queue.take((item) => item === 'done')).toEqual(['done'])
  expect(queue.take(() => true)).toEqual(['other'])
})

test('live items wait for the stored item that they follow, and end with the subscription', () => {
  const hub = new EventHub<LiveItem>()
  let news = 0
  const queue = new LiveQueue(hub, 'e', () => news++)
  hub.publish('e', { after: 1, data: 'first' })
  hub.publish('e', { after: 2, data: 'second' })
  expect(queue.take(0)).toEqual([])
  expect(queue.take(1)).toEqual(['first'])
  expect(queue.take(2)).toEqual(['second'])
  queue.close()
  expect(hub.has('e')).toBe(false)
  expect(news).toBe(2)
})
