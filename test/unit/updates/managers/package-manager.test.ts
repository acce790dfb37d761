import { describe, expect, test } from 'vitest'
import { bun } from '../../../../src/updates/managers/bun.ts'
import type { PackageManager } from '../../../../src/updates/managers/package-manager.ts'
import { pnpm } from '../../../../src/updates/managers/pnpm.ts'
import { yarnClassic } from '../../../../src/updates/managers/yarn-classic.ts'
import { yarn } from '../../../../src/updates/managers/yarn.ts'
import { styleOf } from '../../../../src/updates/project-package.ts'
import type { RunCommand } from '../../../../src/updates/run-command.ts'

/** A fake command line that prints the recorded output of the real one. */
function prints(outputs: Readonly<Record<string, string>>, exitCode = 0): RunCommand {
  return (command, args) => {
    const line = [command, ...args].join(' ')
    const stdout = outputs[line]
    if (stdout === undefined) throw new Error(`Unexpected command: ${line}`)
    return Promise.resolve({ exitCode, stdout, output: stdout })
  }
}

const PACKAGES = [
  { name: 'is-odd', range: '^2.0.0' },
  { name: '@acme/close', range: '~6.0.0' },
]
const VERSIONS = [
  { name: 'is-odd', installed: '2.0.0', wanted: '2.0.1', latest: '3.0.1' },
  { name: '@acme/close', installed: '6.0.0', wanted: '6.0.0', latest: '7.8.6' },
]
const TARGETS = PACKAGES.map((declared) => ({ name: declared.name, style: styleOf(declared) }))

describe('the outdated report', () => {
  test('is read from pnpm', async () => {
    const entry = (current: string, wanted: string, latest: string) => ({ current, wanted, latest })
    const report = {
      'is-odd': entry('2.0.0', '2.0.1', '3.0.1'),
      '@acme/close': entry('6.0.0', '6.0.0', '7.8.6'),
    }
    const run = prints({ 'pnpm outdated --json is-odd @acme/close': JSON.stringify(report, null, 2) }, 1)
    expect(await pnpm.findVersions(PACKAGES, run, '/shop')).toEqual(VERSIONS)
    expect(
      await pnpm.findVersions(PACKAGES, prints({ 'pnpm outdated --json is-odd @acme/close': '{}' }), '/shop'),
    ).toEqual([])
  })

  test('is read from bun', async () => {
    const table = `bun outdated v1.4.4 (38afee6c8)
|------------------------------------------------|
| Package            | Current | Update | Latest |
|--------------------|---------|--------|--------|
| is-odd             | 2.0.0   | 2.0.1  | 3.0.1  |
|--------------------|---------|--------|--------|
| @acme/close (dev)  | 6.0.0   | 6.0.0  | 7.8.6  |
|------------------------------------------------|
`
    expect(
      await bun.findVersions(PACKAGES, prints({ 'bun outdated is-odd @acme/close': table }), '/shop'),
    ).toEqual(VERSIONS)
  })

  test('is read from Yarn 1', async () => {
    const body = [
      ['is-odd', '2.0.0', '2.0.1', '3.0.1', 'dependencies', 'https://example.com'],
      ['@acme/close', '6.0.0', '6.0.0', '7.8.6', 'devDependencies', ''],
    ]
    const head = ['Package', 'Current', 'Wanted', 'Latest', 'Package Type', 'URL']
    const output = `{"type":"info","data":"Color legend"}\n${JSON.stringify({ type: 'table', data: { head, body } })}\n`
    const run = prints({ 'yarn outdated --json is-odd @acme/close': output }, 1)
    expect(await yarnClassic.findVersions(PACKAGES, run, '/shop')).toEqual(VERSIONS)
  })

  test('is read from Yarn 4', async () => {
    const run = prints({
      'yarn info --json': `{"value":"is-odd@npm:2.0.0","children":{"Version":"2.0.0"}}
{"value":"@acme/close@npm:6.0.0","children":{"Version":"6.0.0"}}
{"value":"shop@workspace:.","children":{"Version":"0.0.0"}}`,
      'yarn npm info --json --fields name,version,dist-tags is-odd@^2.0.0 @acme/close@~6.0.0': `{"name":"is-odd","version":"2.0.1","dist-tags":{"latest":"3.0.1"}}
{"name":"@acme/close","version":"6.0.0","dist-tags":{"latest":"7.8.6"}}`,
    })
    expect(await yarn.findVersions(PACKAGES, run, '/shop')).toEqual(VERSIONS)
  })

  test.each([pnpm, bun, yarnClassic, yarn])('of $name that is not readable is an error', async (manager) => {
    const run: RunCommand = () => Promise.resolve({ exitCode: 2, stdout: 'oops', output: 'oops' })
    await expect(manager.findVersions(PACKAGES, run, '/shop')).rejects.toMatchObject({
      code: 'install_failed',
    })
  })
})

test.each([
  [pnpm, ['pnpm update --latest --ignore-scripts is-odd @acme/close']],
  [bun, ['bun update --latest --ignore-scripts is-odd @acme/close']],
  [yarnClassic, ['yarn upgrade --latest --ignore-scripts --non-interactive is-odd @acme/close']],
  [
    yarn,
    [
      'yarn up --mode=skip-build --caret is-odd@latest',
      'yarn up --mode=skip-build --tilde @acme/close@latest',
    ],
  ],
] satisfies [PackageManager, string[]][])('$0.name installs without install scripts', (manager, lines) => {
  expect(manager.installCommands(TARGETS).map((line) => line.join(' '))).toEqual(lines)
})
