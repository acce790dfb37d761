import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit-code.ts'
import { resolveConfig } from '../../src/config/config.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { STATUS_BY_CODE } from '../../src/lib/errors.ts'
import { documentationText, root } from './pages.ts'

const text = documentationText()

describe('the reference', () => {
  test('lists every endpoint', () => {
    const rows = ENDPOINT_LIST.filter(([key]) => key !== 'getApiExplorerAsset').map(
      ([, { method, path }]) => `| \`${method} ${path}\` |`,
    )
    expect(missing(rows)).toEqual([])
  })

  test('lists every option of the configuration with its default', () => {
    const defaults = leaves(resolveConfig({}, 'agentserver.config.ts')).filter(
      ([, value]) => value !== undefined,
    )
    expect(defaults.length).toBeGreaterThan(0)
    expect(missing(defaults.map(([name, value]) => `| \`${name}\` | \`${inCode(value)}\` |`))).toEqual([])
  })

  test('lists every status of an error response', () => {
    const statuses = Object.values(STATUS_BY_CODE)
    expect(missing(statuses.map((status) => `| ${status} |`))).toEqual([])
  })

  test('lists every command and the exit codes', () => {
    const commands = readdirSync(new URL('src/cli/commands/', root)).map((file) => file.replace(/\.ts$/, ''))
    expect(commands).toContain('dev')
    expect(missing(commands.map((name) => `| \`${name}`))).toEqual([])
    expect(missing(Object.values(EXIT).map((code) => `| ${code} | `))).toEqual([])
  })
})

function missing(rows: readonly string[]): string[] {
  return rows.filter((row) => !text.includes(row))
}

/** Every value in an object with the dotted path to it. */
function leaves(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, entry]: [string, unknown]) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? leaves(entry, `${prefix}${key}.`)
      : [[prefix + key, entry] as [string, unknown]],
  )
}

function inCode(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
