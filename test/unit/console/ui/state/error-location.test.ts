import { describe, expect, it } from 'vitest'
import { errorLocation } from '../../../../../src/console/ui/state/error-location.ts'

describe('errorLocation', () => {
  it.each([
    ['Error: no\n    at execute (src/pay.ts:12:9)\n    at x (src/y.ts:1:1)', 'src/pay.ts:12:9'],
    ['Error: no\n    at src/pay.ts:3:4', 'src/pay.ts:3:4'],
    ['Error: no\n    at x (node_modules/a/b.js:1:2)\n    at async run (src/a.ts:5:6)', 'src/a.ts:5:6'],
    ['Error: at home (really:1:2) nowhere', undefined],
    [undefined, undefined],
  ])('is the first stack frame in the project: %j', (stack, location) => {
    expect(errorLocation(stack)).toBe(location)
  })
})
