import { expect, test } from 'vitest'
import { describeThrown, redactErrorText } from '../../../../src/lib/redact/error-text.ts'
import { createRedactor } from '../../../../src/lib/redact/redactor.ts'

const known = 'correct horse battery staple'
const redact = createRedactor(() => [known]).text

/** Credentials, and the text around them by which they are recognized. */
const SECRETS = [
  ['a key', 'sk-proj-0123456789abcdefghijklmnopqrstuv', ' '],
  ['a bearer token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlc2lnbmF0dXJl', 'Bearer '],
  ['a known value', known, ''],
  ['an assignment', 'hunter2hunter2hunter2', 'PASSWORD='],
  ['a member', 'hunter2 hunter2 hunter2', '"password": "'],
] as const

test.each(SECRETS)('%s is masked wherever the text is cut', (_, secret, before) => {
  for (const limit of [8192, 16_384]) {
    for (let cut = 0; cut <= secret.length; cut++) {
      const start = 'x '.repeat(limit).slice(0, limit - before.length - cut)
      const text = redactErrorText(`${start}${before}${secret}" ${'y'.repeat(20_000)}`, redact)
      expect(text.length).toBeLessThanOrEqual(8192)
      expect(text).not.toContain(secret.slice(0, 6))
    }
  }
})

test('a cut secret stays masked when the secrets before it make the text shorter', () => {
  const key = SECRETS[0][1]
  for (let shift = 0; shift < key.length; shift++) {
    const text = redactErrorText(`${'x'.repeat(shift)} ${`${key} `.repeat(1000)}`, redact)
    expect(text).not.toContain('sk-')
  }
})

test('short texts are complete, long ones end with an ellipsis', () => {
  expect(redactErrorText('no', redact)).toBe('no')
  expect(redactErrorText('x'.repeat(8192), redact)).toBe('x'.repeat(8192))
  for (const length of [8193, 100_000])
    expect(redactErrorText('x'.repeat(length), redact)).toBe(`${'x'.repeat(8191)}…`)
})

test('thrown objects are described as JSON, limited in size, without values under sensitive names', () => {
  const cyclic: { self?: unknown; password: string } = { password: 'hunter2' }
  cyclic.self = cyclic
  expect(describeThrown(cyclic)).toBe('Thrown value: {"password":"[redacted]","self":"[Circular]"}')
  expect(describeThrown(null)).toBe('Thrown value: null')
  expect(describeThrown(Symbol('s'))).toBe('Thrown value: "Symbol(s)"')
})

const MEGABYTES = {
  'a string': { text: 'password=abc token sk-live '.repeat(200_000) },
  'many members': Object.fromEntries(
    Array.from({ length: 30_000 }, (_, n) => [`token${n}`, `Bearer ${'abc'.repeat(50)}${n}`]),
  ),
  'many objects': Array.from({ length: 200_000 }, (_, n) => ({ n, token: 'eyJhbGciOi' })),
}

test.each(Object.entries(MEGABYTES))('%s of 5 MB costs no more than its JSON does', (_, thrown) => {
  const ms = (work: () => unknown) => {
    const start = performance.now()
    work()
    return performance.now() - start
  }
  redactErrorText(describeThrown({ text: 'warm up' }), redact)
  const ratios = Array.from({ length: 7 }, () => {
    const json = ms(() => JSON.stringify(thrown))
    return ms(() => redactErrorText(describeThrown(thrown), redact)) / json
  })
  expect(Math.min(...ratios)).toBeLessThan(2)
})
