import { describe, expect, it } from 'vitest'
import { splitMarkdown } from '../../../../src/console/markdown/split-markdown.ts'

/** A code block without an end. */
const OPEN = '````\n```\nopen'
const paragraph = `${'words '.repeat(50)}\n\n`
const texts = (text: string) => splitMarkdown(text).map((part) => part.text)

describe('splitMarkdown', () => {
  it('splits a text into parts of which only the last changes when the text grows', () => {
    const text = paragraph.repeat(40)
    for (const length of [10, 1500, 5000, text.length]) {
      const parts = texts(text.slice(0, length))
      expect(parts.join('')).toBe(text.slice(0, length))
      expect(texts(text).slice(0, parts.length - 1)).toEqual(parts.slice(0, -1))
    }
    expect(texts(text).length).toBeGreaterThan(5)
  })

  it('makes a part of each code block, also of one without an end, as while a response streams', () => {
    const code = 'const x = 1\n\n```\n'.repeat(300)
    expect(splitMarkdown(`Before\n~~~js now\n${code}~~~\nAfter\n${OPEN}`)).toEqual([
      { kind: 'text', text: 'Before\n', language: '' },
      { kind: 'code', text: code.trimEnd(), language: 'js' },
      { kind: 'text', text: 'After\n', language: '' },
      { kind: 'code', text: '```\nopen', language: '' },
    ])
  })

  it('keeps code blocks within lists in their list', () => {
    const text = '1. First\n\n   ```ts\n   const a = 1\n   ```\n\n2. Second\n'
    expect(splitMarkdown(text)).toEqual([{ kind: 'text', text, language: '' }])
  })

  it('adds the definitions of links to the parts that refer to them', () => {
    const [first = '', second = ''] = texts(
      `See [the docs][Docs].\n\n${paragraph.repeat(2)}More.\n\n[docs]: https://a.example\n`,
    )
    expect(first).toMatch(/\n\n\[docs\]: https:\/\/a\.example$/)
    expect(second.match(/https:/g)).toHaveLength(1)
  })

  it('repeats the head of a long table in each of its parts', () => {
    const head = '| a | b |\n|---|:-:|\n'
    const parts = texts(`${head}${'| one | two |\n'.repeat(1000)}`)
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.every((part) => part.startsWith(head))).toBe(true)
    expect(parts.join('').match(/one/g)).toHaveLength(1000)
  })

  it.each(['', '\n', '```', '[', '|', '\r\n\r\n', '~~~~\n~~~', '[a]:', '   ```x\n'])(
    'reads malformed text to its end: %j',
    (text) => {
      expect(texts(text).length).toBeLessThanOrEqual(1)
    },
  )
})
