import { describe, expect, it } from 'vitest'
import { usesMember } from '../../../src/lib/uses-member.ts'

interface Context {
  readonly elicit?: () => unknown
  readonly logger?: unknown
}
type Execute = (input: { readonly a?: unknown }, context: Context) => unknown

const helper = (...values: unknown[]) => values

/** A function from its source, whose text the transpiler of the tests would change. */
function parse(source: string): Execute {
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- comments are part of the test
  return new Function(`return (${source})`)() as Execute
}

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

  it.each([
    '(input, ctx$) => ctx$.elicit()',
    '(input, $) => $.elicit()',
    '(input, c) => ({ ...c })',
    '(input, c) => c["elicit"]()',
    '(input, c) => c /* the client */ . elicit()',
    '(input, c = {}) => c.elicit()',
    '(input = {}, c) => c.elicit()',
    '(input, c) => { /* see helper.\n */ return c.logger ? helper(c) : 0 }',
    '({ a: { b: { c } } }, { elicit }) => elicit(c)',
    '({ a = "}, {" }, c) => c.elicit()',
    '({ a, b }, /* the context, ) */ { elicit }) => elicit()',
    '(input /* an order, or more) */, context) => context.elicit()',
    '(input, { "elicit": e }) => e()',
    "(input, { 'elicit': e }) => e()",
    '(input, { [key]: e }) => e()',
    '(input, { "el\\x69cit": e }) => e()',
    `(input /* the user's order */, c) => c.elicit("'")`,
    `(input, c) => /'/.test(input) && c.elicit("it's")`,
    'function (input) { return arguments[1].elicit() }',
    '(\n  input, // the order\n  { elicit },\n) => elicit()',
    '(input, ...[context]) => context.elicit()',
    '(input, contextä) => contextä.elicit()',
  ])('is true for %s', (source) => {
    expect(usesMember(parse(source), 1, ['elicit', 'sample'])).toBe(true)
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

  it.each([
    'input => input',
    'async ({ city, unit = "celsius", tags = [], rate = 0.5 }, { signal }) => "a sample"',
    '({ a: [first, second], b: { c }, ...rest }, { signal, logger: log }) => rest',
    '(input, ctx$) => ctx$.logger?.info("elicit")',
    'function execute({ a }, { signal },) { return a }',
    '(\n  input,\n  context,\n) => context\n  ?.logger',
  ])('is false for %s', (source) => {
    expect(usesMember(parse(source), 1, ['elicit', 'sample'])).toBe(false)
  })

  it('reads the parameter at the index', () => {
    const step = async ({ data, suspend }: { data: unknown; suspend: () => never }) => data ?? suspend()
    expect(usesMember(step, 0, ['suspend'])).toBe(true)
    expect(usesMember(step, 1, ['suspend'])).toBe(false)
    expect(usesMember((context) => helper(context), 0, ['suspend'])).toBe(true)
    expect(usesMember(parse('c => c.suspend()'), 0, ['suspend'])).toBe(true)
    expect(usesMember(parse('async c => c.data * 2'), 0, ['suspend'])).toBe(false)
    expect(usesMember(parse('({ data: [a, { b }], input }) => a'), 0, ['suspend'])).toBe(false)
  })
})
