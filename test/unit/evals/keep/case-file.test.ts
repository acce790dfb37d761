import { expect, it } from 'vitest'
import { CasePath } from '../../../../src/contract/endpoints/project/kept-cases.ts'
import { caseFile } from '../../../../src/evals/keep/case-of-run.ts'

it.each([
  [
    'shop:order',
    'schedule:daily:2026-01-01T00:00:00.000Z',
    'shop-order/schedule-daily-2026-01-01T00-00-00.000Z',
  ],
  ['con', 'NUL', 'con-/NUL-'],
  ['aux.v2', 'com1', 'aux-.v2/com1-'],
  ['order.', 'console', 'order/console'],
])('the case file of %s and %s is valid on Windows', (name, id, expected) => {
  const file = caseFile(name, id)
  expect(file).toBe(`cases/${expected}.json`)
  expect(CasePath.safeParse(file).success).toBe(true)
})

it.each(['con/a', 'a/nul', 'Aux.v2/a', 'a/lpt9.x', 'a:b/c', 'a./b'])(
  'a path that Windows refuses is refused: %s',
  (path) => {
    expect(CasePath.safeParse(`cases/${path}.json`).success).toBe(false)
  },
)
