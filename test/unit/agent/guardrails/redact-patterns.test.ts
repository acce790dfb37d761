import { describe, expect, test } from 'vitest'
import {
  type Guardrail,
  REDACT_END,
  UNFINISHED,
  withPatternTime,
  type WithRedactEnd,
  type WithUnfinished,
} from '../../../../src/agent/guardrails/guardrail.ts'
import { maxLength } from '../../../../src/agent/guardrails/max-length.ts'
import { redactPatterns } from '../../../../src/agent/guardrails/redact-patterns.ts'

const request = {
  user: undefined,
  context: {},
  conversationId: undefined,
  signal: new AbortController().signal,
}
const replaced = async (guardrail: Guardrail, value: { text?: string; object?: unknown }) =>
  guardrail({ ...value, ...request })
const redact = async (patterns: Parameters<typeof redactPatterns>[0], text: string) => {
  const result = await replaced(redactPatterns(patterns), { text })
  return result && 'replace' in result ? result.replace : text
}
/** The end of a text that is held back. */
const held = (patterns: Parameters<typeof redactPatterns>[0], text: string) =>
  text.slice((redactPatterns(patterns) as WithUnfinished)[UNFINISHED]?.(text, 0))

/** Its time grows with the fifth power of the length. */
const SLOW = /\d*\d*\d*\d*x/
const HOSTILE = '1'.repeat(5000)

describe('redactPatterns', () => {
  test.each([
    ['4111111111111111', '[card]'],
    ['5555-5555 5555.4444', '[card]'],
    ['3782 822463 10005', '[card]'],
    ['4111 1111 1111 1111 123', '[card] 123'],
    ['No. 7: 4111\n1111 1111 1111', 'No. 7: [card]'],
    ['4111 1111 1111 1112', '4111 1111 1111 1112'],
    ['0000 0000 0000 0000', '0000 0000 0000 0000'],
    ['123456789012', '123456789012'],
  ])('replaces card numbers with a valid check digit: %s', async (text, expected) => {
    expect(await redact(['card'], text)).toBe(expected)
  })

  test.each([
    ['bob.o-neil+x@mail.example.co.uk!', '[email]!'],
    ['Write to bob@example.com.', 'Write to [email].'],
    ['a @ b', 'a @ b'],
    ['bob@localhost', 'bob@localhost'],
  ])('replaces email addresses: %s', async (text, expected) => {
    expect(await redact(['email'], text)).toBe(expected)
  })

  test.each([
    ['+49 30 1234567', '[phone]'],
    ['+1 (555) 123-4567', '[phone]'],
    ['Call (555) 123-4567 now', 'Call [phone] now'],
    ['555-123-4567', '[phone]'],
    ['0171 1234567', '[phone]'],
    ['01 23 45 67 89', '[phone]'],
    ['on 2024-01-05 at 12:30', 'on 2024-01-05 at 12:30'],
    ['order 1234567890', 'order 1234567890'],
    ['192.168.100.200', '192.168.100.200'],
  ])('replaces telephone numbers: %s', async (text, expected) => {
    expect(await redact(['phone'], text)).toBe(expected)
  })

  test('replaces every match of an own expression', async () => {
    expect(await redact([/acme-\d+/i, 'email'], 'ACME-1, acme-22 and a@b.io')).toBe(
      '[redacted], [redacted] and [email]',
    )
  })

  test('replaces the strings, numbers and keys of objects', async () => {
    const object = { list: ['a@b.io', 4111111111111111], 'c@d.io': { n: 1 } }
    expect(await replaced(redactPatterns(['email', 'card']), { object })).toEqual({
      replace: { list: ['[email]', '[card]'], '[email]': { n: 1 } },
    })
    expect(await replaced(redactPatterns(['email']), { object: { n: 1 } })).toBeUndefined()
  })

  test.each([
    ['card' as const, 'My card: 4111 1111. ', '4111 1111. '],
    ['card' as const, 'My card', ''],
    ['email' as const, 'ask bob@exam', 'bob@exam'],
    ['phone' as const, 'call +49 30', '+49 30'],
    [/ACME-\d{3}/, 'about ACME-1', 'ACME-1'],
    [/ACME-\d{3}/, 'about ACME 1', ''],
    [/(?:key|token)=\w+/i, 'with TOK', 'TOK'],
    [/(?:key|token)=\w+/i, 'with token=ab', 'token=ab'],
    [/[\p{L}]{2}\d+$/u, 'é AB1', 'AB1'],
    [/(\d)x\1/, 'a 1x', '1x'],
    [/a{2,3}(?=b)/, 'xaaa', 'aaa'],
    [/(?<!-)\d{4}/, 'in 20', '20'],
    [/(?:ab)+c/, 'ababa', 'ababa'],
  ])('holds back the beginning of a match: %s in "%s"', (pattern, text, expected) => {
    expect(held([pattern], text)).toBe(expected)
  })

  test.each([/(a+)+$/, /(?:\w+\s?)*$/])(
    'rejects expressions that can take exponential time: %s',
    (pattern) => {
      expect(() => redactPatterns([pattern])).toThrow(
        `redactPatterns(): ${String(pattern)} can take exponential time`,
      )
    },
  )

  test("replaces a text that it can't search in time, and the others of that request at once", async () => {
    const guardrail = redactPatterns([SLOW])
    const inRequest = async (value: { text?: string; object?: unknown }) =>
      guardrail({ ...value, ...withPatternTime(request) })
    expect(await inRequest({ text: 'Card 12x' })).toEqual({ replace: 'Card [redacted]' })
    const sharing = withPatternTime(request)
    expect(await guardrail({ text: `My number: ${HOSTILE}`, ...sharing })).toEqual({ replace: '[redacted]' })
    const startedAt = performance.now()
    for (let n = 0; n < 50; n++)
      expect(await guardrail({ object: { n, text: HOSTILE }, ...sharing })).toEqual({ replace: '[redacted]' })
    // a second for each would be 50
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(await inRequest({ text: 'Card 12x' })).toEqual({ replace: 'Card [redacted]' })
  })

  test("holds back a whole text whose end it can't search in time", () => {
    const { [UNFINISHED]: unfinished, [REDACT_END]: redactEnd } = redactPatterns([SLOW]) as WithUnfinished &
      WithRedactEnd
    const sharing = withPatternTime(request)
    expect(unfinished?.(`Hi ${HOSTILE}!`, 3, sharing)).toBe(3)
    expect(redactEnd?.('Hi', sharing)).toBe('[redacted]')
  })

  test('rejects unknown patterns', () => {
    expect(() => redactPatterns(['iban' as 'card'])).toThrow('"iban" is unknown')
  })

  test.each([[[]], ['card' as unknown as []], [undefined as unknown as []]])(
    'rejects patterns that would redact nothing: %s',
    (patterns) => {
      expect(() => redactPatterns(patterns)).toThrow(
        'redactPatterns() requires a list of one or more patterns',
      )
    },
  )
})

test('maxLength blocks longer texts and objects', async () => {
  expect(await replaced(maxLength(3), { text: 'abc' })).toBeUndefined()
  expect(await replaced(maxLength(3), { text: 'abcd' })).toEqual({ block: 'Longer than 3 characters' })
  expect(await replaced(maxLength(8), { object: { a: 1 } })).toBeUndefined()
  expect(await replaced(maxLength(6), { object: { a: 1 } })).toHaveProperty('block')
  for (const length of [0, -1, 1.5, Number.NaN]) expect(() => maxLength(length)).toThrow(RangeError)
})
