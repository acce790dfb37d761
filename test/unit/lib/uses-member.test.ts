import { describe, expect, it } from 'vitest'
import { usesMember } from '../../../src/lib/uses-member.ts'

interface Context {
  readonly elicit?: () => unknown
  readonly logger?: unknown
}
type Execute = (input: { readonly a?: unknown }, context: Context) => unknown

const helper = (...values: unknown[]) => values

describe('usesMember', () => {
  it.each<[string, Execute]>([
    ['a destructured member', ({ a }, { elicit }) => [a, elicit]],
    ['a renamed member', async (_, { elicit: ask, logger }) => [await ask?.(), logger]],
    ['a member access', (_, context) => context.elicit?.()],
    ['a method', { execute: (_: unknown, context: Context) => context.elicit }.execute],
    ['a context that is passed on', (input, context) => helper(input, context)],
    ['rest of a destructured context', (_, { logger, ...more }) => [logger, more]],
    ['rest parameters', (...values) => helper(...values)],
    ['a bound function', helper.bind(undefined)],
    [
      'a default that has brackets',
      ({ a = [{ b: ')' }].map((one) => one.b) }, { elicit = () => helper(1, 2) }) => [a, elicit],
    ],
  ])('is true for %s', (_, execute) => {
    expect(usesMember(execute, 1, ['elicit', 'sample'])).toBe(true)
  })

  it.each<[string, Execute]>([
    ['no parameters', () => 1],
    ['one parameter', async ({ a }) => a],
    ['one parameter without brackets', (input) => input.a],
    ['other destructured members', ({ a }, { logger }) => [a, logger]],
    ['access to other members', (input, context) => [input, context.logger]],
  ])('is false for %s', (_, execute) => {
    expect(usesMember(execute, 1, ['elicit', 'sample'])).toBe(false)
  })

  it('reads the parameter at the index', () => {
    const step = async ({ data, suspend }: { data: unknown; suspend: () => never }) => data ?? suspend()
    expect(usesMember(step, 0, ['suspend'])).toBe(true)
    expect(usesMember(step, 1, ['suspend'])).toBe(false)
  })
})
