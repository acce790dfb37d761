import { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/command-line.ts'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { routeMatcher } from '../../src/contract/route-pattern.ts'
import { documentationPages } from './pages.ts'

/** Routes that the examples of the documentation add with `configureApp`. */
const OWN_ROUTES = [
  '/notes/:id',
  '/rooms/:room',
  '/prices',
  '/reports/:year',
  '/admin',
  '/webhooks/payments',
  '/questions',
  '/orders/:order',
  '/leave',
]

const matches = routeMatcher([...ENDPOINT_LIST.map(([, { path }]) => path), ...OWN_ROUTES])
const lines = documentationPages().flatMap(({ path, text }) =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => ({ page: path, line })),
)

/** The flags of each command, such as `--input`, and `''` for the command alone. */
const flags = new Map<string, Set<string>>()
beforeAll(async () => {
  const common = flagsOf(createProgram())
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const command = new Command(name)
    const loaded = await load()
    loaded.define(command)
    flags.set(name, new Set(['', ...common, ...flagsOf(command)]))
  }
})

describe('the shell commands of the documentation', () => {
  test('use commands and options that exist', () => {
    const calls = lines.flatMap(({ page, line }) =>
      [...line.matchAll(/(?:^|[\s/])agentserver(?:\.js)? ([a-z][a-z-]*)([^|;&]*)/g)].map(
        ([, name = '', rest = '']) => ({ page, name, rest }),
      ),
    )
    const wrong = calls.flatMap(({ page, name, rest }) => {
      const used = [...withoutStrings(rest).matchAll(/ (--?[a-z][a-z-]*)/g)].map(([, flag = '']) => flag)
      return ['', ...used]
        .filter((flag) => !(flags.get(name)?.has(flag) ?? false))
        .map((flag) => `${page}: ${name} ${flag}`)
    })
    expect(calls.length).toBeGreaterThan(20)
    expect(wrong).toEqual([])
  })

  test('request paths that exist', () => {
    const urls = lines.flatMap(({ page, line }) =>
      [...line.matchAll(/https?:\/\/(?:127\.0\.0\.1|localhost):314\d(\/[^\s'"?]*)/g)].map(
        ([, path = '']) => ({
          page,
          path,
        }),
      ),
    )
    const wrong = urls.filter(({ path }) => !matches({ method: 'GET', path }))
    expect(urls.length).toBeGreaterThan(15)
    expect(wrong).toEqual([])
  })
})

function flagsOf({ options }: Command): string[] {
  return options
    .flatMap(({ long, short }) => [long, short])
    .filter((flag) => flag !== undefined && flag !== null)
}

function withoutStrings(text: string): string {
  return text.replaceAll(/'[^']*'|"[^"]*"/g, "''").replace(/ #.*$/, '')
}
