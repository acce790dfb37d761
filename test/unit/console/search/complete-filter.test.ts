import { describe, expect, it } from 'vitest'
import {
  FILTER_VALUES,
  completeName,
  completeValue,
  openFilter,
} from '../../../../src/console/search/complete-filter.ts'
import { parseSearch } from '../../../../src/contract/search/search-query.ts'

const STATUSES = FILTER_VALUES.status ?? []
const texts = (completions: readonly { readonly text: string }[]) => completions.map(({ text }) => text)

describe('filters of a search', () => {
  it('are completed from the beginning of their name, behind any words', () => {
    expect(texts(completeName('st'))).toEqual(['status:'])
    expect(texts(completeName('"A-1042" W'))).toEqual(['"A-1042" workflow:'])
    expect(completeName('').map(({ name }) => name)).toContain('last:')
    expect(completeName('rotterdam')).toEqual([])
    expect(completeName('status:er')).toEqual([])
  })

  it('are completed from any part of a value', () => {
    expect(texts(completeValue('card status:fa', STATUSES))).toEqual(['card status:failed '])
    expect(
      texts(
        completeValue('workflow:big', [
          ['order', 'Big orders'],
          ['pay', ''],
        ]),
      ),
    ).toEqual(['workflow:order '])
    expect(completeValue('status:failed', STATUSES)).toEqual([])
    expect(completeValue('status:failed card', STATUSES)).toEqual([])
  })

  it('have values in quotes where they are no words', () => {
    const [completion] = completeValue('workflow:my', [['my flow', '']])
    expect(completion?.text).toBe('workflow:"my flow" ')
    expect(texts(completeValue('workflow:"my f', [['my flow', '']]))).toEqual(['workflow:"my flow" '])
  })

  it('have known values that the server accepts', () => {
    for (const [filter, values = []] of Object.entries(FILTER_VALUES))
      for (const [value] of values) expect(parseSearch(`${filter}:${value}`).problem).toBeUndefined()
  })

  it('that are unknown have no values', () => {
    expect(openFilter('status:')).toBe('status')
    expect(openFilter('a STATUS:x')).toBe('status')
    expect(openFilter('colour:')).toBeUndefined()
    expect(openFilter('constructor:')).toBeUndefined()
    expect(openFilter('status:failed card')).toBeUndefined()
  })
})
