import { expect, it } from 'vitest'
import { foldChanges } from '../../../../src/store/rows/executions/journal-row.ts'

it('steps that start at the same time are in the order of their items', () => {
  const paths = ['lines', 'lines[0]', 'lines[9]', 'lines[10]', 'lines[10]/price', 'lines[11]']
  const changes = paths.toReversed().map((path) => ({ path, startedAt: 1, position: 0 }))
  expect(foldChanges(changes as never).map(({ path }) => path)).toEqual(paths)
})
