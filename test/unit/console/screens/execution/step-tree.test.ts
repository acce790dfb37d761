import { describe, expect, it } from 'vitest'
import { declarationOrder, stepTree } from '../../../../../src/console/screens/execution/step-tree.ts'

const at = (ms: number) => new Date(ms).toISOString()

describe('stepTree', () => {
  it('puts a nested step below its nearest outer step that has a record', () => {
    const base = { type: 'andThen', status: 'completed', input: null, attempts: 1 } as const
    const times = { startTime: at(0), endTime: at(1), durationMs: 1 }
    const steps = ['b', 'a/x/deep', 'a', 'a/y'].map((path) => ({
      ...base,
      ...times,
      path,
      stepId: path,
      name: path,
    }))
    const order = ['a', 'a/y', 'a/x/deep', 'b']
    const tree = stepTree(steps, ({ path }) => order.indexOf(path))
    expect(tree.map(({ step: { path }, depth }) => [path, depth])).toEqual([
      ['a', 0],
      ['a/y', 1],
      ['a/x/deep', 1],
      ['b', 0],
    ])
  })
})

describe('declarationOrder', () => {
  it('sorts by the declaration, rounds by their number, and removed steps last', () => {
    const placed = ['a', 'lines', 'lines/price', 'b'].map((path) => ({ path, step: { id: path } }))
    const order = declarationOrder(placed as never)
    const paths = ['gone', 'b', 'lines[10]', 'lines', 'lines[9]', 'a']
    const of = (path: string) => order({ path } as never)
    expect(paths.filter((path) => !path.endsWith(']')).toSorted((one, other) => of(one) - of(other))).toEqual(
      ['a', 'lines', 'b', 'gone'],
    )
    expect(of('lines[9]')).toBeLessThan(of('lines[10]'))
  })
})
