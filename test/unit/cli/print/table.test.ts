import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { table } from '../../../../src/cli/print/table.ts'

const paint = pc.createColors(false)
const ID = '01a1f7fe-8776-721c-a493-65c43931aa1c'

describe('a table', () => {
  it('is as wide as its content outside a terminal', () => {
    const text = table(['ID', 'PURPOSE'], [[ID, 'x'.repeat(300)]], { paint, width: Number.POSITIVE_INFINITY })
    expect(text.split('\n')).toEqual([`ID${' '.repeat(36)}PURPOSE`, `${ID}  ${'x'.repeat(300)}`])
  })

  it.each([120, 80, 60])('fits a terminal of %i columns without cutting ids', (width) => {
    const rows = [[ID, 'completed', 'a long purpose in many words that does not fit '.repeat(4)]]
    const lines = table(['ID', 'STATUS', 'PURPOSE'], rows, { paint, width }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    expect(lines[1]).toContain(ID)
    expect(lines[1]).toContain('…')
  })

  it('cuts ids in a very narrow terminal', () => {
    const lines = table(['ID', 'STATUS'], [[ID, 'completed']], { paint, width: 30 }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30)
  })

  it('keeps the columns that are named, in a narrow terminal', () => {
    const screen = { paint, width: 40 }
    const rows = [[ID, 'expense', 'completed', '3 min']]
    const [, line] = table(['ID', 'WORKFLOW', 'STATUS', 'AGE'], rows, screen, ['WORKFLOW', 'STATUS']).split(
      '\n',
    )
    expect(line?.length).toBeLessThanOrEqual(40)
    expect(line).toMatch(/… +expense +completed +3 min/)
  })

  it('aligns columns with wide and combining characters', () => {
    const rows = [
      ['注文', 'a'],
      ['cafe\u0301', 'b'],
      ['order', 'c'],
      ['👩‍💻', 'd'],
    ]
    const lines = table(['ID', 'X'], rows, { paint, width: 80 }).split('\n')
    expect(lines).toEqual(['ID     X', '注文   a', 'cafe\u0301   b', 'order  c', '👩‍💻     d'])
  })

  it('escapes control characters and line breaks', () => {
    const text = table(['ID'], [['a\u001b[2Jb\nc']], { paint, width: 80 })
    expect(text).toBe('ID\na\\x1b[2Jb c')
  })
})
