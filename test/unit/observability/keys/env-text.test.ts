import { parse } from 'dotenv'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../src/lib/errors.ts'
import { setEnvVariables } from '../../../../src/observability/keys/env-text.ts'

const KEYS = ['SERVICE_PUBLIC_KEY', 'SERVICE_SECRET_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const
const PUBLIC = new Map([['SERVICE_PUBLIC_KEY', 'pk-new']])

function edit(before: string, variables: ReadonlyMap<string, string> = PUBLIC): string {
  return setEnvVariables(Buffer.from(before), variables).toString()
}

describe('setting a variable', () => {
  test.each([
    ['in an empty file', '', 'SERVICE_PUBLIC_KEY=pk-new\n'],
    ['after the last line', 'A=1\n', 'A=1\nSERVICE_PUBLIC_KEY=pk-new\n'],
    ['after a last line without an end', 'A=1', 'A=1\nSERVICE_PUBLIC_KEY=pk-new\n'],
    ['after Windows lines', 'A=1\r\nB=2', 'A=1\r\nB=2\r\nSERVICE_PUBLIC_KEY=pk-new\r\n'],
    ['in its line', 'A=1\nSERVICE_PUBLIC_KEY=pk-old\nB=2', 'A=1\nSERVICE_PUBLIC_KEY=pk-new\nB=2'],
    ['in a Windows line', 'SERVICE_PUBLIC_KEY=old\r\nB=2\r\n', 'SERVICE_PUBLIC_KEY=pk-new\r\nB=2\r\n'],
    ['beside a byte order mark', '\uFEFFSERVICE_PUBLIC_KEY=old\n', '\uFEFFSERVICE_PUBLIC_KEY=pk-new\n'],
    ['after nothing but a byte order mark', '\uFEFF', '\uFEFFSERVICE_PUBLIC_KEY=pk-new\n'],
    ['before a comment', 'SERVICE_PUBLIC_KEY=old # mine\n', 'SERVICE_PUBLIC_KEY=pk-new # mine\n'],
    ['before a comment that touches it', 'SERVICE_PUBLIC_KEY=old#mine', 'SERVICE_PUBLIC_KEY=pk-new#mine'],
    ['between its quotes', `SERVICE_PUBLIC_KEY='old' `, `SERVICE_PUBLIC_KEY='pk-new' `],
    [
      'in place of several lines of its own',
      'SERVICE_PUBLIC_KEY="a\nb"\nB=2',
      'SERVICE_PUBLIC_KEY="pk-new"\nB=2',
    ],
    ['after export', '  export SERVICE_PUBLIC_KEY=old\n', '  export SERVICE_PUBLIC_KEY=pk-new\n'],
    ['with blanks around it', 'SERVICE_PUBLIC_KEY =  old  \n', 'SERVICE_PUBLIC_KEY =  pk-new  \n'],
    ['after a colon', 'SERVICE_PUBLIC_KEY: old\n', 'SERVICE_PUBLIC_KEY: pk-new\n'],
    ['where it was empty', 'SERVICE_PUBLIC_KEY=\nB=2\n', 'SERVICE_PUBLIC_KEY=pk-new\nB=2\n'],
    ['with the value it has', 'SERVICE_PUBLIC_KEY=pk-new', 'SERVICE_PUBLIC_KEY=pk-new'],
  ])('%s', (_, before, after) => {
    expect(edit(before)).toBe(after)
  })

  test('changes the last assignment, which is the effective one', () => {
    const before = 'SERVICE_PUBLIC_KEY=one\nA=1\nSERVICE_PUBLIC_KEY=two\nA=2\n'
    expect(edit(before)).toBe(before.replace('two', 'pk-new'))
  })

  test('ignores other variables, comments and values with the same text', () => {
    const before = [
      '# SERVICE_PUBLIC_KEY=in a comment',
      'MY_SERVICE_PUBLIC_KEY=1',
      'SERVICE_PUBLIC_KEY_2=2',
      'service_public_key=3',
      'TEXT="first',
      'SERVICE_PUBLIC_KEY=inside',
      'last"',
      "OTHER='",
      'export SERVICE_PUBLIC_KEY="inside"',
      "'",
      'LAST=`',
      'SERVICE_PUBLIC_KEY=inside',
      '`',
    ].join('\n')
    expect(edit(before)).toBe(`${before}\nSERVICE_PUBLIC_KEY=pk-new\n`)
  })

  test('keeps a line that dotenv parses as the value of the previous line', () => {
    const before = 'SERVICE_PUBLIC_KEY:\nB=2\n'
    expect(edit(before)).toBe(`${before}SERVICE_PUBLIC_KEY=pk-new\n`)
  })

  test('refuses a file whose last line would include the new line', () => {
    expect(() => edit('DANGLING:\n')).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  test('keeps invalid UTF-8', () => {
    const noise = Buffer.from([0x41, 0x3d, 0xff, 0xc2, 0xa0, 0x00, 0xe2, 0x80, 0x0a])
    const after = setEnvVariables(noise, PUBLIC)
    expect(after).toEqual(Buffer.concat([noise, Buffer.from('SERVICE_PUBLIC_KEY=pk-new\n')]))
  })

  test('keeps Unicode blanks', () => {
    expect(edit('SERVICE_PUBLIC_KEY=\u00A0old\u3000\n')).toBe('SERVICE_PUBLIC_KEY=\u00A0pk-new\u3000\n')
  })
})

describe('for any file', () => {
  const key = fc.constantFrom(...KEYS, 'A', 'B_2', 'my.key')
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', '=', '#', ':', '$', '\\', 'é', ' ', '\u00A0', '\u2028'),
    maxLength: 6,
  })
  const end = fc.constantFrom('\n', '\r\n', '\r', '\n\n')
  const quoted = fc
    .tuple(
      fc.constantFrom("'", '"', '`'),
      fc.array(fc.oneof(word, end, key, fc.constant('\nA=1\n')), { maxLength: 5 }),
    )
    .map(([quote, parts]) => quote + parts.join('') + quote)
  const assignment = fc
    .tuple(
      fc.constantFrom('', ' ', 'export ', '\t'),
      key,
      fc.constantFrom('=', ' = ', '= ', ': '),
      fc.oneof(word, quoted),
    )
    .map((parts) => parts.join(''))
  const line = fc.oneof(
    { weight: 3, arbitrary: assignment },
    fc.constantFrom(
      '',
      '# SERVICE_SECRET_KEY=old',
      'export',
      'export SERVICE_PUBLIC_KEY',
      "it's",
      '"',
      '\uFEFF',
    ),
    word,
  )
  const file = fc.array(fc.tuple(line, end)).map((lines) => lines.flat().join(''))
  const value = fc.stringMatching(/^[!%&(-[\]^_a-~]{1,40}$/)
  const variables = fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), value), {
    minLength: 1,
    selector: ([name]) => name,
  })

  const others = (text: string) =>
    Object.entries(parse(text)).filter(([name]) => !(KEYS as readonly string[]).includes(name))

  test('the variables are set and all others keep their values', () => {
    fc.assert(
      fc.property(file, variables, (before, wanted) => {
        const after = tryEdit(before, new Map(wanted))
        fc.pre(after !== undefined)
        expect(others(after)).toEqual(others(before))
        expect(parse(after)).toMatchObject(Object.fromEntries(wanted))
      }),
      { numRuns: 2000 },
    )
  })

  test('setting the old values again restores the file', () => {
    fc.assert(
      fc.property(file, value, (before, fresh) => {
        const old = parse(before)['SERVICE_SECRET_KEY']
        fc.pre(old !== undefined && /^[!%&(-[\]^_a-~]+$/.test(old))
        const there = tryEdit(before, new Map([['SERVICE_SECRET_KEY', fresh]]))
        fc.pre(there !== undefined && there.length - before.length === fresh.length - old.length)
        expect(edit(there, new Map([['SERVICE_SECRET_KEY', old]]))).toBe(before)
      }),
    )
  })

  test('a new variable is appended', () => {
    fc.assert(
      fc.property(file, (before) => {
        fc.pre(!('SERVICE_PUBLIC_KEY' in parse(before)))
        const after = tryEdit(before, PUBLIC)
        fc.pre(after !== undefined)
        expect(after.startsWith(before)).toBe(true)
        expect(after.slice(before.length)).toMatch(/^(?:\r\n?|\n)?SERVICE_PUBLIC_KEY=pk-new(?:\r\n?|\n)$/)
      }),
    )
  })

  /** `undefined` if the edit is refused, which may happen when dotenv parses the next line as the value of `KEY:`. */
  function tryEdit(before: string, wanted: ReadonlyMap<string, string>): string | undefined {
    try {
      return edit(before, wanted)
    } catch (error) {
      if (/:\s*$/.test(before) && error instanceof AppError) return undefined
      throw error
    }
  }
})
