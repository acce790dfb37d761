import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { table } from '../../../../src/cli/print/table.ts'

const paint = pc.createColors(false)
const ID = '01a1f7fe-8776-721c-a493-65c43931aa1c'

describe('a table', () => {
  it('is as wide as what it holds where there is no screen', () => {
    const text = table(['ID', 'PURPOSE'], [[ID, 'x'.repeat(300)]], { paint, width: Number.POSITIVE_INFINITY })
    expect(text.split('\n')).toEqual([`ID${' '.repeat(36)}PURPOSE`, `${ID}  ${'x'.repeat(300)}`])
  })

  it.each([120, 80, 60])('fits a screen of %i columns, and keeps the ids whole', (width) => {
    const rows = [[ID, 'completed', 'a purpose that goes on and on, as purposes do '.repeat(4)]]
    const lines = table(['ID', 'STATUS', 'PURPOSE'], rows, { paint, width }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    expect(lines[1]).toContain(ID)
    expect(lines[1]).toContain('…')
  })

  it('cuts ids too before it breaks lines', () => {
    const lines = table(['ID', 'STATUS'], [[ID, 'completed']], { paint, width: 30 }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30)
  })

  it('keeps columns straight below wide and combining characters', () => {
    const rows = [
      ['注文', 'a'],
      ['cafe\u0301', 'b'],
      ['order', 'c'],
    ]
    const lines = table(['ID', 'X'], rows, { paint, width: 80 }).split('\n')
    expect(lines).toEqual(['ID     X', '注文   a', 'cafe\u0301   b', 'order  c'])
  })

  it('lets no text of others drive the terminal or break its line', () => {
    const text = table(['ID'], [['a\u001b[2Jb\nc']], { paint, width: 80 })
    expect(text).toBe('ID\na\\x1b[2Jb c')
  })
})
