import { expect, it } from 'vitest'
import { IDS_PER_MS } from '../../../src/store/log-store.ts'
import type { LogFilter, LogRow } from '../../../src/store/log-store.ts'
import { logRow as row } from './log-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const TIES: Partial<LogRow> = { traceId: 't', spanId: 's', executionId: 'e', workflowId: 'w', agentId: 'a' }
const OTHERS: Partial<LogRow> = {
  traceId: 't2',
  spanId: 's2',
  executionId: 'e2',
  workflowId: 'w2',
  agentId: 'a2',
}

/** Tests of log records. */
export function logTests(store: StoreUnderTest): void {
  const found = async (filter: LogFilter, limit = 100) =>
    (await store.logs.list(filter, { limit })).map(({ timestamp }) => timestamp)

  it('returns the stored records, newest first', async () => {
    const rows = [row(1, { ...TIES, level: 50, attributes: '{"a":1}' }), row(2), row(3)]
    await store.logs.insert(rows.slice(0, 2))
    await store.logs.insert(rows.slice(2))
    expect(await store.logs.list({}, { limit: 10 })).toEqual(rows.toReversed())
    expect(await store.logs.count()).toBe(3)
    expect(await store.logs.newest()).toBe(3 * IDS_PER_MS)
  })

  it.each([
    [{ traceId: 't' }, [1]],
    [{ spanId: 's' }, [1]],
    [{ executionId: 'e' }, [1]],
    [{ workflowId: 'w' }, [1]],
    [{ agentId: 'a' }, [1]],
    [{ traceId: 't', agentId: 'a2' }, []],
    [{ traced: true }, [2, 1]],
    [{ level: 40 }, [5, 4]],
    [{ level: 50 }, [5]],
    [{ level: 10 }, [5, 4, 3, 2, 1]],
    [{ since: 2, until: 4 }, [3, 2]],
  ] as const)('finds by %j only what fits', async (filter, expected) => {
    await store.logs.insert([
      row(1, TIES),
      row(2, OTHERS),
      row(3),
      row(4, { level: 40 }),
      row(5, { level: 60 }),
    ])
    expect(await found(filter)).toEqual(expected)
  })

  it('finds records with every word, in message or attributes, in any case', async () => {
    await store.logs.insert([
      row(1, { message: 'Charged the card', attributes: '{"order":"A-7"}' }),
      row(2, { message: 'Charged the account' }),
      row(3, { message: '100% of a_b' }),
      row(4, { message: '100 of aXb' }),
    ])
    expect(await found({ words: ['charged', 'a-7'] })).toEqual([1])
    expect(await found({ words: ['arge'] })).toEqual([2, 1])
    expect(await found({ words: ['100%'] })).toEqual([3])
    expect(await found({ words: ['a_b'] })).toEqual([3])
    expect(await found({ words: ['nothing'] })).toEqual([])
    expect(await found({ words: ['charged'], since: 2 })).toEqual([2])
  })

  it('ignores the case of letters in all languages', async () => {
    await store.logs.insert([
      row(1, { message: 'ÄPFEL für Ольга' }),
      row(2, { message: 'Öpfel', attributes: '{"fruit":"Äpfel"}' }),
      row(3, { message: 'Opfel' }),
      ...Array.from({ length: 7 }, (_, n) => row(n + 4, { message: 'öpfel' })),
    ])
    expect(await found({ words: ['äpfel'] })).toEqual([2, 1])
    expect(await found({ words: ['äpfel'] }, 1)).toEqual([2])
    expect(await found({ words: ['ÄPFEL', 'ольга'] })).toEqual([1])
    expect(await found({ words: ['öpf'] }, 3)).toEqual([10, 9, 8])
  })

  it('finds words among many records, from the newest on', async () => {
    const many = Array.from({ length: 25_000 }, (_, n) =>
      row(n + 1, { message: n % 10_000 === 5 ? 'needle' : 'hay' }),
    )
    await store.logs.insert(many)
    expect(await found({ words: ['needle'] })).toEqual([20_006, 10_006, 6])
    expect(await found({ words: ['needle'] }, 2)).toEqual([20_006, 10_006])
  })

  it('pages without gaps or duplicates while new records arrive', async () => {
    await store.logs.insert([row(1), row(2), row(3)])
    const [, second] = await store.logs.list({}, { limit: 2 })
    await store.logs.insert([row(4)])
    const rest = await store.logs.list({}, { limit: 2, before: second?.id })
    expect(rest.map(({ timestamp }) => timestamp)).toEqual([1])
  })

  it('deletes old records, then surplus ones, up to the limit at a time', async () => {
    await store.logs.insert(Array.from({ length: 10 }, (_, n) => row(n + 1)))
    expect(await store.logs.prune({ before: 4, keep: 100 }, 2)).toBe(2)
    expect(await store.logs.prune({ before: 4, keep: 100 }, 2)).toBe(1)
    expect(await found({})).toEqual([10, 9, 8, 7, 6, 5, 4])
    expect(await store.logs.prune({ before: 0, keep: 5 }, 100)).toBe(2)
    expect(await store.logs.prune({ before: 0, keep: 5 }, 100)).toBe(0)
    expect(await found({})).toEqual([10, 9, 8, 7, 6])
    expect(await store.logs.count()).toBe(5)
  })
}
