import { describe, expect, it } from 'vitest'
import { parseSearch } from '../../../src/contract/search/search-query.ts'
import { searchWords } from '../../../src/contract/search/search-words.ts'

describe('a search', () => {
  it('has words, phrases and filters', () => {
    expect(parseSearch('status:error workflow:order "A-1042" last:1h').query).toEqual({
      terms: [{ words: ['a', '1042'], isPrefix: false }],
      facets: { status: ['error'], workflow: ['order'] },
      lastMs: 3_600_000,
    })
    expect(parseSearch('agent:"My Agent" user:y card decl').query).toEqual({
      terms: [
        { words: ['card'], isPrefix: false },
        { words: ['decl'], isPrefix: true },
      ],
      facets: { agent: ['my agent'], user: ['y'] },
    })
  })

  it('finds the beginning of the last word also when a filter follows', () => {
    expect(parseSearch('decl status:failed').query).toEqual({
      terms: [{ words: ['decl'], isPrefix: true }],
      facets: { status: ['error'] },
    })
  })

  it('has one word for each status, and takes the values of the API, too', () => {
    const statuses = (text: string) => parseSearch(`status:${text}`).query?.facets.status
    expect(statuses('failed')).toEqual(['error'])
    expect(statuses('Cancelled')).toEqual(['cancelled', 'aborted'])
    expect(statuses('aborted')).toEqual(['aborted'])
  })

  it('takes addresses, times and signs as words', () => {
    const words = (text: string) => parseSearch(text).query?.terms.map((term) => term.words)
    expect(words('https://example.com/x')).toEqual([['https', 'example', 'com', 'x']])
    expect(words('12:30 -- C++')).toEqual([['12', '30'], ['c']])
  })

  it.each([
    ['', 'Must contain a word with letters or digits, or a filter'],
    ['  -- !', 'Must contain a word with letters or digits, or a filter'],
    ['"open', 'A quotation mark has no counterpart'],
    ['a "', 'A quotation mark has no counterpart'],
    [
      'colour:red',
      'Unknown filter "colour". Filters: status, workflow, agent, user, decided, kind, last. To search for the text, quote it: "colour:red"',
    ],
    ['status:done', 'status: Must be running, suspended, completed, failed, cancelled'],
    ['status: error', 'status: Must be running, suspended, completed, failed, cancelled'],
    ['last:soon', 'last: Must be a duration such as 15m, 1h or 7d'],
    ['last:0h', 'last: Must be a duration such as 15m, 1h or 7d'],
    ['kind:trace', 'kind: Must be execution, run'],
    ['user:', 'user: Must be the id of a user'],
    [Array.from({ length: 25 }, (_, n) => `w${n}`).join(' '), 'A search has at most 24 words'],
  ])('%j is refused: %s', (text, problem) => {
    expect(parseSearch(text)).toEqual({ problem })
  })

  it('parses the longest text in a moment, whatever it is', () => {
    for (const text of ['a:'.repeat(256), '"'.repeat(512), `${'a'.repeat(510)}:`, ':'.repeat(512)])
      expect(Object.keys(parseSearch(text))).toHaveLength(1)
  })
})

it('words are letters and digits, in lower case and without diacritics', () => {
  expect(searchWords('Zürich, A-1042_b \u202E東京 ﬁne')).toEqual(['zurich', 'a', '1042', 'b', '東京', 'fine'])
})
