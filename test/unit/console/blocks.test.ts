import { describe, expect, it } from 'vitest'
import { readBlocks } from '../../../src/console/markdown/blocks.ts'

describe("a model's text", () => {
  it('is read as blocks', () => {
    const text =
      '# Title\n\nOne\ntwo\n- a\n  more\n- b\n\n1. x\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---'
    expect(readBlocks(text)).toEqual([
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

  it('may end inside a code block, as while it streams', () => {
    expect(readBlocks('```ts\nconst a = 1')).toEqual([{ kind: 'code', language: 'ts', text: 'const a = 1' }])
  })

  it.each(['<img src=x onerror=alert(1)>', '|not a table', '- ', '#', '```', '', '> ', '****'])(
    'is read to its end: %j',
    (text) => {
      expect(readBlocks(text).length).toBeLessThanOrEqual(1)
    },
  )
})
