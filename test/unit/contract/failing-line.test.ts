import { describe, expect, it } from 'vitest'
import { failingLine } from '../../../src/contract/failing-line.ts'

const at = (line: number) => ({ file: 'src/pay.ts', line, column: 1, frame: '' })

describe('the line of an error', () => {
  it('is its own', () => {
    expect(failingLine({ location: at(1), cause: { location: at(2) } })).toEqual(at(1))
  })

  it('is that of the first cause that has one', () => {
    expect(failingLine({ cause: { cause: { location: at(3), cause: { location: at(4) } } } })).toEqual(at(3))
  })

  it('is unknown without a place, and of causes that are no errors', () => {
    for (const error of [{}, { cause: 'frozen' }, { cause: null }, undefined])
      expect(failingLine(error)).toBeUndefined()
  })
})
