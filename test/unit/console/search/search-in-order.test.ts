import { describe, expect, it } from 'vitest'
import type { FoundGroup, SearchSource } from '../../../../src/console/search/found.ts'
import { searchInOrder } from '../../../../src/console/search/search-in-order.ts'
import type { SearchProgress } from '../../../../src/console/search/search-in-order.ts'

const group = (name: string, ...keys: readonly string[]): FoundGroup => ({
  name,
  items: keys.map((key) => ({ key, name: key, run: () => undefined })),
})

/** Results that arrive when the test says so. */
function late(): { readonly source: SearchSource; readonly arrive: (...groups: FoundGroup[]) => void } {
  let resolve: (groups: FoundGroup[]) => void = () => undefined
  const promise = new Promise<FoundGroup[]>((settle) => {
    resolve = settle
  })
  return { source: () => promise, arrive: (...groups) => resolve(groups) }
}

const names = ({ groups }: SearchProgress) =>
  groups.map(({ name, items }) => `${name}: ${items.map(({ key }) => key).join(', ')}`)

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('the results of a search', () => {
  it('appear in the order of the sources, so that the first one stays the first', async () => {
    const [first, second] = [late(), late()]
    const shown: SearchProgress[] = []
    const wanted = { text: 'order', signal: new AbortController().signal }
    const done = searchInOrder([first.source, second.source], wanted, (progress) => shown.push(progress))
    second.arrive(group('Executions', 'e1'))
    await turn()
    expect(shown).toEqual([])
    first.arrive(group('Workflows', 'order'))
    await done
    expect(shown.map(names)).toEqual([['Workflows: order', 'Executions: e1']])
    expect(shown.at(-1)).toMatchObject({ text: 'order', isComplete: true, failures: [] })
  })

  it('appear before slower ones have arrived', async () => {
    const slow = late()
    const shown: SearchProgress[] = []
    const wanted = { text: 'o', signal: new AbortController().signal }
    const done = searchInOrder([() => [group('Pages', 'p')], slow.source], wanted, (one) => shown.push(one))
    await turn()
    expect(shown.map((one) => [names(one), one.isComplete])).toEqual([[['Pages: p'], false]])
    slow.arrive()
    await done
    expect(shown.at(-1)).toMatchObject({ isComplete: true })
  })

  it('appear once, and with the reason why others are missing', async () => {
    const shown: SearchProgress[] = []
    const failing: SearchSource = () => {
      throw new Error('HTTP 503')
    }
    await searchInOrder(
      [
        () => [group('Recent', 'a')],
        failing,
        () => [group('Executions', 'a', 'b')],
        () => [group('Executions', 'c')],
      ],
      { text: 'a', signal: new AbortController().signal },
      (progress) => shown.push(progress),
    )
    expect(names(shown.at(-1) as SearchProgress)).toEqual(['Recent: a', 'Executions: b, c'])
    expect(shown.at(-1)?.failures).toEqual([new Error('HTTP 503')])
  })

  it('of an earlier text never appear', async () => {
    const slow = late()
    const abort = new AbortController()
    const shown: SearchProgress[] = []
    const done = searchInOrder([slow.source], { text: 'o', signal: abort.signal }, (one) => shown.push(one))
    abort.abort()
    slow.arrive(group('Executions', 'stale'))
    await done
    expect(shown).toEqual([])
  })
})
