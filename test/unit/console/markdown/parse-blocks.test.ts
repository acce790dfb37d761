import { describe, expect, it } from 'vitest'
import { parseBlocks } from '../../../../src/console/markdown/parse-blocks.ts'

describe('parseBlocks', () => {
  it('reads headings, paragraphs, lists, quotes, tables and rules', () => {
    const text =
      '# Title\n\nOne\ntwo\n- a\n  more\n- b\n\n1. x\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---'
    expect(parseBlocks(text)).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      { kind: 'paragraph', text: 'One\ntwo' },
      { kind: 'list', ordered: false, items: ['a\nmore', 'b'] },
      { kind: 'list', ordered: true, items: ['x'] },
      { kind: 'quote', text: 'said' },
      {
        kind: 'table',
        rows: [
          ['a', 'b'],
          ['1', '2'],
        ],
      },
      { kind: 'rule' },
    ])
  })

  it('reads a code block without an end, as while a response streams', () => {
    expect(parseBlocks('```ts\nconst a = 1')).toEqual([{ kind: 'code', language: 'ts', text: 'const a = 1' }])
  })

  it.each(['<img src=x onerror=alert(1)>', '|not a table', '- ', '#', '```', '', '> ', '****'])(
    'reads malformed text to its end: %j',
    (text) => {
      expect(parseBlocks(text).length).toBeLessThanOrEqual(1)
    },
  )
})
