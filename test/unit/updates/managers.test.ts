import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chooseManager } from '../../../src/updates/managers/choose.ts'
import { bun } from '../../../src/updates/managers/bun.ts'
import type { PackageManager } from '../../../src/updates/managers/package-manager.ts'
import { pnpm } from '../../../src/updates/managers/pnpm.ts'
import { yarnClassic } from '../../../src/updates/managers/yarn-classic.ts'
import { yarn } from '../../../src/updates/managers/yarn.ts'
import { styleOf } from '../../../src/updates/project-package.ts'
import { commandFailed } from '../../../src/updates/run-command.ts'
import type { RunCommand } from '../../../src/updates/run-command.ts'
import { TempProject } from '../../support/temp-project.ts'

let project: TempProject
afterEach(() => project?.remove())

/** A command line that prints what the real one does. */
function prints(outputs: Readonly<Record<string, string>>, exitCode = 0): RunCommand {
  return (command, args) => {
    const line = [command, ...args].join(' ')
    const stdout = outputs[line]
    if (stdout === undefined) throw new Error(`Nobody expected: ${line}`)
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

describe('what other package managers print', () => {
  test('pnpm', async () => {
    const entry = (current: string, wanted: string, latest: string) => ({ current, wanted, latest })
    const report = {
      'is-odd': entry('2.0.0', '2.0.1', '3.0.1'),
      '@acme/close': entry('6.0.0', '6.0.0', '7.8.6'),
    }
    const run = prints({ 'pnpm outdated --json is-odd @acme/close': JSON.stringify(report, null, 2) }, 1)
    expect(await pnpm.findVersions(PACKAGES, run)).toEqual(VERSIONS)
    expect(
      await pnpm.findVersions(PACKAGES, prints({ 'pnpm outdated --json is-odd @acme/close': '{}' })),
    ).toEqual([])
  })

  test('bun', async () => {
    const table = `bun outdated v1.4.4 (38afee6c8)
|------------------------------------------------|
| Package            | Current | Update | Latest |
|--------------------|---------|--------|--------|
| is-odd             | 2.0.0   | 2.0.1  | 3.0.1  |
|--------------------|---------|--------|--------|
| @acme/close (dev)  | 6.0.0   | 6.0.0  | 7.8.6  |
|------------------------------------------------|
`
    expect(await bun.findVersions(PACKAGES, prints({ 'bun outdated is-odd @acme/close': table }))).toEqual(
      VERSIONS,
    )
  })

  test('yarn 1', async () => {
    const body = [
      ['is-odd', '2.0.0', '2.0.1', '3.0.1', 'dependencies', 'https://example.com'],
      ['@acme/close', '6.0.0', '6.0.0', '7.8.6', 'devDependencies', ''],
    ]
    const head = ['Package', 'Current', 'Wanted', 'Latest', 'Package Type', 'URL']
    const output = `{"type":"info","data":"Color legend"}\n${JSON.stringify({ type: 'table', data: { head, body } })}\n`
    const run = prints({ 'yarn outdated --json is-odd @acme/close': output }, 1)
    expect(await yarnClassic.findVersions(PACKAGES, run)).toEqual(VERSIONS)
  })

  test('yarn 4', async () => {
    const run = prints({
      'yarn info --json': `{"value":"is-odd@npm:2.0.0","children":{"Version":"2.0.0"}}
{"value":"@acme/close@npm:6.0.0","children":{"Version":"6.0.0"}}
{"value":"shop@workspace:.","children":{"Version":"0.0.0"}}`,
      'yarn npm info --json --fields name,version,dist-tags is-odd@^2.0.0 @acme/close@~6.0.0': `{"name":"is-odd","version":"2.0.1","dist-tags":{"latest":"3.0.1"}}
{"name":"@acme/close","version":"6.0.0","dist-tags":{"latest":"7.8.6"}}`,
    })
    expect(await yarn.findVersions(PACKAGES, run)).toEqual(VERSIONS)
  })

  test.each([pnpm, bun, yarnClassic, yarn])('that is of no use is an error: $name', async (manager) => {
    const run: RunCommand = () => Promise.resolve({ exitCode: 2, stdout: 'oops', output: 'oops' })
    await expect(manager.findVersions(PACKAGES, run)).rejects.toMatchObject({ code: 'install_failed' })
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
] satisfies [PackageManager, string[]][])('install scripts are off with $0.name', (manager, lines) => {
  expect(manager.installCommands(TARGETS).map((line) => line.join(' '))).toEqual(lines)
})

describe('the package manager of a project', () => {
  const runBy = (agent: string | undefined) => vi.stubEnv('npm_config_user_agent', agent)
  beforeEach(() => void runBy(undefined))
  afterEach(() => void vi.unstubAllEnvs())

  const managerOf = (files: Readonly<Record<string, string>>, directory = '.') => {
    project = new TempProject({ 'package.json': '{}', ...files })
    return chooseManager(project.path(directory))
  }

  test.each<[Readonly<Record<string, string>>, PackageManager | 'npm']>([
    [{}, 'npm'],
    [{ 'package-lock.json': '{}' }, 'npm'],
    [{ 'pnpm-lock.yaml': '' }, pnpm],
    [{ 'yarn.lock': '# yarn lockfile v1\n' }, yarnClassic],
    [{ 'yarn.lock': '__metadata:\n  version: 8\n' }, yarn],
    [{ 'bun.lock': '{}' }, bun],
    [{ 'bun.lockb': '' }, bun],
    [{ 'package.json': '{"packageManager":"pnpm@9.1.0"}', 'package-lock.json': '{}' }, pnpm],
    [{ 'package.json': '{"packageManager":"yarn@1.22.22+sha512.a"}' }, yarnClassic],
    [{ 'package.json': '{"packageManager":"yarn@4.1.0"}' }, yarn],
    [{ 'package.json': '{"packageManager":"evil@1; rm -rf /"}' }, 'npm'],
  ])('follows from %j', (files, expected) => {
    const { manager } = managerOf(files)
    expect(expected === 'npm' ? manager.name : manager).toBe(expected)
  })

  test('is that of the workspace it is in, whose lockfile an installation changes', () => {
    const { manager, files } = managerOf(
      { 'package.json': '{"workspaces":["apps/*"]}', 'pnpm-lock.yaml': '', 'apps/shop/package.json': '{}' },
      'apps/shop',
    )
    expect(manager).toBe(pnpm)
    expect(files).toEqual(
      expect.arrayContaining([
        project.path('apps/shop/package.json'),
        project.path('package.json'),
        project.path('pnpm-lock.yaml'),
      ]),
    )
  })

  test('is not that of a package which merely lies above', () => {
    const { manager } = managerOf({ 'pnpm-lock.yaml': '', 'apps/shop/package.json': '{}' }, 'apps/shop')
    expect(manager.name).toBe('npm')
  })

  test.each([
    ['yarn/1.22.22 npm/? node/v24.0.0 linux x64', yarnClassic],
    ['yarn/4.1.0 npm/? node/v24.0.0 linux x64', yarn],
    ['pnpm/10.1.0 npm/? node/v24.0.0 linux x64', pnpm],
  ])('is the one that runs us where the project does not tell: %s', (agent, expected) => {
    runBy(agent)
    expect(managerOf({}).manager).toBe(expected)
    project.remove()
    expect(managerOf({ 'bun.lock': '{}' }).manager).toBe(bun)
  })
})

test('a failed command is told by its code; its output, for the log, has no credentials', () => {
  const output = [
    'npm error code ERESOLVE',
    'GET https://user:hunter2@registry.example/x',
    '//registry.example/:_authToken=hunter2',
    'authorization: Bearer hunter2',
  ].join('\n')
  const error = commandFailed('npm could not install the updates', { exitCode: 1, stdout: '', output })
  expect(error.message).toBe('npm could not install the updates (ERESOLVE)')
  expect((error.cause as Error).message).toContain('registry.example')
  expect((error.cause as Error).message).not.toContain('hunter2')
})
