import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChangeNotifier } from '../../../../../src/store/postgres/changes/change-notifier.ts'
import type { PostgresDatabases } from '../../../../../src/store/postgres/connection/postgres-databases.ts'

const sent: { readonly at: number; readonly messages: readonly string[] }[] = []
const databases = {
  schema: 'project',
  writes: {
    rows: async ({ values }: { readonly values: readonly [string, readonly string[]] }) => {
      sent.push({ at: performance.now(), messages: values[1] })
      return []
    },
  },
} as unknown as Pick<PostgresDatabases, 'writes' | 'schema'>

beforeEach(() => {
  sent.length = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a change is announced after 5 ms, and under load every 25 ms what was collected, each id once', async () => {
  const notifier = new ChangeNotifier({ databases, ownerEpoch: 7 })
  for (let ms = 0; ms < 100; ms++) {
    notifier.onCommitted([`e${ms % 3}`])
    await vi.advanceTimersByTimeAsync(1)
  }
  const [first] = sent
  expect(sent.map(({ at }) => Math.round(at - (first?.at ?? 0)))).toEqual([0, 25, 50, 75])
  expect(sent.map(({ messages }) => messages)).toEqual(
    [0, 0, 0, 0].map(() => [expect.stringMatching(/^7( e[012]){3}$/)]),
  )
  await notifier.close()
  expect(sent).toHaveLength(5)
})
