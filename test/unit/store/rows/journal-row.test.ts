import { expect, it } from 'vitest'
import { foldChanges } from '../../../../src/store/rows/executions/journal-row.ts'

it('steps are in the order in which the journal has their starts, whatever the clock said', () => {
  const started = [
    { path: 'lines[9]', startedAt: 7 },
    { path: 'lines[10]', startedAt: 7 },
    { path: 'lines[10]/price', startedAt: 7 },
    { path: 'book', startedAt: 7 },
    { path: 'after-a-take-over', startedAt: 5 },
  ]
  const ended = started.toReversed().map(({ path }) => ({ path, status: 'completed' }))
  const steps = foldChanges([...started, ...ended] as never)
  expect(steps.map(({ path }) => path)).toEqual(started.map(({ path }) => path))
})
