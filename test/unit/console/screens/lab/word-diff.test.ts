import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordDiff } from '../../../../../src/console/screens/lab/word-diff.ts'

const shown = (before: string, after: string) =>
  wordDiff(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `[+${text}]` : `[-${text}]`))
    .join('')

describe('the differences of two texts', () => {
  it('are words, also of other scripts', () => {
    expect(shown('The order ships today.', 'The order ships tomorrow, today.')).toBe(
      'The order ships [+tomorrow, ]today.',
    )
    expect(shown('Grüezi Ann, alles gut?', 'Grüezi Bea, alles gut?')).toBe('Grüezi [-Ann][+Bea], alles gut?')
    expect(shown('', 'new')).toBe('[+new]')
    expect(shown('same', 'same')).toBe('same')
  })

  it('of texts that are too long for that are one part', () => {
    const words = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word}${at}`).join(' ')
    const parts = wordDiff(`a ${words('x')} z`, `a ${words('y')} z`)
    expect(parts.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same'])
  })

  it('make both texts again', () => {
    const text = array(constantFrom('a', 'b', ' ', '\n', '🙂', 'ü', '.'), { maxLength: 30 })
    assert(
      property(text, text, (one, other) => {
        const [before, after] = [one.join(''), other.join('')]
        const parts = wordDiff(before, after)
        const without = (kind: string) =>
          parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join('')
        expect([without('added'), without('removed')]).toEqual([before, after])
      }),
    )
  })
})
