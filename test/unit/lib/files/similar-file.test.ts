import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { similarFile } from '../../../../src/lib/files/similar-file.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

let project: TempProject

beforeEach(() => {
  project = new TempProject({ 'order.json': '', 'src/workflows/order.ts': '' })
})
afterEach(() => project.remove())

describe('a similar file', () => {
  test.each([
    ['ordr.json', 'order.json'],
    ['src/workflows/orders.ts', 'src/workflows/order.ts'],
    ['src/workflow/order.ts', 'src/workflows/order.ts'],
    ['Order.json', 'order.json'],
  ])('for %s is %s', (missing, similar) => {
    expect(similarFile(project.path(missing))).toBe(project.path(similar))
  })

  test.each(['invoice.json', 'src/workflow/nothing.ts', 'nowhere/at/all', 'order.json/x'])(
    'does not exist for %s',
    (missing) => {
      expect(similarFile(project.path(missing))).toBeUndefined()
    },
  )
})
