import { describe, expect, it } from 'vitest'
import { splitMarkdown } from '../../../../src/console/markdown/split-markdown.ts'

const paragraph = `${'words '.repeat(50)}\n\n`

describe('splitMarkdown', () => {
  it('splits a text into pieces that do not change when the text grows', () => {
    const text = paragraph.repeat(40)
    for (const length of [10, 1500, 5000, text.length]) {
      const pieces = splitMarkdown(text.slice(0, length))
      expect(pieces.join('')).toBe(text.slice(0, length))
      expect(splitMarkdown(text).slice(0, pieces.length - 1)).toEqual(pieces.slice(0, -1))
    }
    expect(splitMarkdown(text).length).toBeGreaterThan(5)
  })

  it('does not split a code block', () => {
    const code = `~~~js\n${'const x = 1\n\n'.repeat(300)}\`\`\`\n~~~\n\n`
    const pieces = splitMarkdown(paragraph.repeat(10) + code + paragraph.repeat(10))
    expect(pieces.filter((piece) => piece.includes('const x'))).toHaveLength(1)
  })
})
