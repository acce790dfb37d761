import { describe, expect, it } from 'vitest'
import { parseBlocks } from '../../../../src/console/markdown/parse-blocks.ts'
import { parseInline } from '../../../../src/console/markdown/parse-inline.ts'

const marked = (text: string) =>
  parseInline(text)
    .filter(({ kind }) => kind !== 'text')
    .map((mark) => `${mark.kind}:${mark.text}`)
const textIn = (text: string) =>
  parseInline(text)
    .map((mark) => mark.text)
    .join('')

describe('parseInline', () => {
  it('reads code, strong, emphasis and web links', () => {
    const text = 'a `b` **c *d*** _e_ [f](https://g.example) ``h ` i`` https://j.example/k'
    expect(marked(text)).toEqual([
      'code:b',
      'strong:c *d',
      'emphasis:e',
      'link:f',
      'code:h ` i',
      'link:https://j.example/k',
    ])
  })

  it('makes no links to other schemes, and no images', () => {
    const text = '[a](javascript:alert(1)) ![b](data:image/png;base64,x) [c](/d) <img src=x>'
    expect(marked(text)).toEqual([])
    expect(textIn(text)).toBe(text)
    expect(parseInline('![pixel](https://e.example/p.png)')).toEqual([
      { kind: 'link', text: 'pixel', href: 'https://e.example/p.png' },
    ])
  })

  it.each([
    ['brackets', '['],
    ['unclosed links', '[a](b '],
    ['unclosed code', '`a '],
    ['unclosed strong', ' **a'],
    ['unclosed emphasis', ' _a'],
    ['stars', '*'],
    ['backticks', '`'],
    ['images', '!['],
  ])('reads thousands of %s without blocking the page', (_, part) => {
    for (const length of [19_999, 200_000]) {
      const text = part.repeat(Math.ceil(length / part.length)).slice(0, length)
      expect(textIn(text).length).toBeGreaterThan(length / 8)
      const lines = `${text}\n# ${' '.repeat(length)}x\n- ${' '.repeat(length)}\u2028`
      expect(parseBlocks(lines).length).toBeGreaterThan(0)
    }
  })
})
