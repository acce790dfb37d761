import { describe, expect, test } from 'vitest'
import { findOutdated, installCommands, plugAndPlayVersions } from '../../../src/updates/package-managers.ts'
import type { ProjectManager } from '../../../src/updates/package-managers.ts'
import type { RunCommand } from '../../../src/updates/run-command.ts'

type Agent = ProjectManager['agent']

const NAMES = { npm: 'npm', pnpm: 'pnpm', yarn: 'yarn', 'yarn@berry': 'yarn', bun: 'bun' } as const
const AGENTS = Object.keys(NAMES) as Agent[]
const managerOf = (agent: Agent): ProjectManager => ({ agent, name: NAMES[agent], files: [] })

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
const OUTDATED = [
  { name: 'is-odd', wanted: ['2.0.1'], latest: '3.0.1' },
  { name: '@acme/close', wanted: ['6.0.0'], latest: '7.8.6' },
]

const find = (agent: Agent, run: RunCommand) => findOutdated(managerOf(agent), PACKAGES, run)

describe('the outdated report', () => {
  const entry = (current: string, wanted: string, latest: string) => ({ current, wanted, latest })
  const report = {
    'is-odd': entry('2.0.0', '2.0.1', '3.0.1'),
    '@acme/close': entry('6.0.0', '6.0.0', '7.8.6'),
  }

  test.each(['npm', 'pnpm'] as const)('is read from %s', async (agent) => {
    const command = `${agent} outdated --json is-odd @acme/close`
    expect(await find(agent, prints({ [command]: JSON.stringify(report, null, 2) }, 1))).toEqual(OUTDATED)
    expect(await find(agent, prints({ [command]: '{}' }))).toEqual([])
    expect(await find(agent, prints({ [command]: '' }))).toEqual([])
  })

  test('of npm has an entry for each package that depends on the outdated one', async () => {
    const output = JSON.stringify({
      ...report,
      'is-odd': [report['is-odd'], entry('2.0.0', '3.0.1', '3.0.1')],
    })
    const found = await find('npm', prints({ 'npm outdated --json is-odd @acme/close': output }, 1))
    expect(found[0]).toEqual({ name: 'is-odd', wanted: ['2.0.1', '3.0.1'], latest: '3.0.1' })
  })

  test('of npm that is an error is an error', async () => {
    const output = '{"error":{"code":"E401","summary":"Unable to authenticate"}}'
    const run = prints({ 'npm outdated --json is-odd @acme/close': output }, 1)
    await expect(find('npm', run)).rejects.toMatchObject({ code: 'install_failed' })
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
    expect(await find('bun', prints({ 'bun outdated is-odd @acme/close': table }))).toEqual(OUTDATED)
  })

  test('is read from Yarn 1', async () => {
    const body = [
      ['is-odd', '2.0.0', '2.0.1', '3.0.1', 'dependencies', 'https://example.com'],
      ['@acme/close', '6.0.0', '6.0.0', '7.8.6', 'devDependencies', ''],
    ]
    const head = ['Package', 'Current', 'Wanted', 'Latest', 'Package Type', 'URL']
    const output = `{"type":"info","data":"Color legend"}\n${JSON.stringify({ type: 'table', data: { head, body } })}\n`
    const run = prints({ 'yarn outdated --json is-odd @acme/close': output }, 1)
    expect(await find('yarn', run)).toEqual(OUTDATED)
  })

  test('is read from Yarn 4', async () => {
    const run = prints({
      'yarn npm info --json --fields name,version,dist-tags is-odd@^2.0.0 @acme/close@~6.0.0': `{"name":"is-odd","version":"2.0.1","dist-tags":{"latest":"3.0.1"}}
{"name":"@acme/close","version":"6.0.0","dist-tags":{"latest":"7.8.6"}}`,
    })
    expect(await find('yarn@berry', run)).toEqual(OUTDATED)
  })

  test.each(AGENTS)('of %s that is not readable is an error', async (agent) => {
    const run: RunCommand = () => Promise.resolve({ exitCode: 2, stdout: 'oops', output: 'oops' })
    await expect(find(agent, run)).rejects.toMatchObject({ code: 'install_failed' })
  })
})

test("the versions of Plug'n'Play are read from Yarn", async () => {
  const run = prints({
    'yarn info --json': `{"value":"is-odd@npm:2.0.0","children":{"Version":"2.0.0"}}
{"value":"@acme/close@npm:6.0.0","children":{"Version":"6.0.0"}}
{"value":"shop@workspace:.","children":{"Version":"0.0.0"}}`,
  })
  expect(Object.fromEntries(await plugAndPlayVersions(run))).toEqual({
    'is-odd': '2.0.0',
    '@acme/close': '6.0.0',
  })
})

test.each<[Agent, string[]]>([
  [
    'npm',
    [
      'npm i --ignore-scripts --no-audit --no-fund --no-progress --save-prefix=^ is-odd@latest',
      'npm i --ignore-scripts --no-audit --no-fund --no-progress --save-prefix=~ @acme/close@latest',
    ],
  ],
  ['pnpm', ['pnpm update --latest --ignore-scripts is-odd @acme/close']],
  ['bun', ['bun update --latest --ignore-scripts is-odd @acme/close']],
  ['yarn', ['yarn upgrade --latest --ignore-scripts --non-interactive is-odd @acme/close']],
  [
    'yarn@berry',
    [
      'yarn up --mode=skip-build --caret is-odd@latest',
      'yarn up --mode=skip-build --tilde @acme/close@latest',
    ],
  ],
])('%s installs without install scripts', (agent, lines) => {
  const commands = installCommands(agent, PACKAGES)
  expect(commands.map(([command, args]) => [command, ...args].join(' '))).toEqual(lines)
})
