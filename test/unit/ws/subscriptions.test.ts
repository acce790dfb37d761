import { expect, it } from 'vitest'
import { AppError } from '../../../src/lib/errors.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { Subscriptions } from '../../../src/ws/subscriptions.ts'
import { LiveTopic } from '../../../src/ws/topic.ts'
import { FakeSocket } from '../../support/clients/fake-socket.ts'
import { until } from '../../support/until.ts'

/** Subscriptions whose topics are checked one by one, when the test says so. */
function checked() {
  const socket = new FakeSocket()
  const checks: { readonly name: string; readonly answer: ReturnType<typeof createDeferred<void>> }[] = []
  const topics = new Map<string, LiveTopic>()
  const subscriptions = new Subscriptions(socket.asSocket, {
    topic: (name) => {
      const topic = new LiveTopic(name)
      topics.set(name, topic)
      return topic
    },
    check: () => (name) => {
      const answer = createDeferred<void>()
      checks.push({ name, answer })
      return answer.promise
    },
    onFailure: (error) => {
      throw error
    },
  })
  const subscribe = (...names: string[]) =>
    subscriptions.handle({ type: 'subscribe', topics: names.map((topic) => ({ topic })) })
  const checking = (count: number) => until(() => checks.length === count)
  return { socket, subscriptions, subscribe, checks, checking, topics }
}

it('requests that wait for a check are limited, and accepted again when it has ended', async () => {
  const { subscribe, checks, checking } = checked()
  const names = Array.from({ length: 100 }, (_, index) => `topic:${index}`)
  subscribe(...names)
  subscribe(...names)
  expect(() => subscribe('one more')).toThrow('Too many topics wait for their check: the maximum is 200')
  for (let ended = 0; ended < 100; ended++) {
    await checking(ended + 1)
    checks[ended]?.answer.resolve()
  }
  await checking(101)
  subscribe('one more')
})

it('requests that wait are not checked after the socket has closed', async () => {
  const { subscribe, subscriptions, checks, checking, topics } = checked()
  subscribe('a', 'b')
  subscribe('c')
  await checking(1)
  subscriptions.close()
  checks[0]?.answer.resolve()
  await new Promise(setImmediate)
  expect(checks.map(({ name }) => name)).toEqual(['a'])
  expect(topics.size).toBe(0)
})

it('a topic whose check began under old rules is checked by the new ones', async () => {
  const { subscribe, subscriptions, checks, checking, socket, topics } = checked()
  subscribe('a')
  await checking(1)
  await subscriptions.checkAgain()
  checks[0]?.answer.resolve()
  await checking(2)
  expect(topics.size).toBe(0)
  checks[1]?.answer.reject(new AppError('forbidden', 'Not any more'))
  await until(() => socket.sent.length > 0)
  expect(socket.sent).toEqual([{ type: 'error', error: 'Not any more' }])
})
