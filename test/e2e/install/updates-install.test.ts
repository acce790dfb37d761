import fs from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findUpdates } from '../../../src/updates/find-updates.ts'
import { InstallBackup } from '../../../src/updates/install-backup.ts'
import { installUpdates } from '../../../src/updates/install-updates.ts'
import { PackageRegistry, npmProject } from '../../support/project/package-registry.ts'
import type { TempProject } from '../../support/project/temp-project.ts'
import { TypescriptProcess } from '../../support/process/typescript-process.ts'
import { until } from '../../support/until.ts'

const TRACE = 'install-script-ran'

const registry = new PackageRegistry({
  fix: { versions: ['1.0.0', '1.0.1'] },
  pinned: { versions: ['1.0.0', '3.0.0'] },
  '@acme/close': { versions: ['1.0.0', '1.2.0'] },
  scripted: {
    versions: ['1.0.0', '2.0.0'],
    manifest: {
      scripts: { install: `node -e "require('fs').writeFileSync(process.env.INIT_CWD + '/${TRACE}', '')"` },
    },
  },
  broken: { versions: ['1.0.0', '2.0.0'] },
})
let project: TempProject

beforeAll(async () => {
  await registry.listen()
  for (const [name, value] of Object.entries(registry.env)) vi.stubEnv(name, value)
  registry.broken.add('broken')
})
afterAll(() => registry.close())
afterEach(() => project.remove())

/** The files that a failed installation must not change. */
function kept(): Record<string, string> {
  return { manifest: project.read('package.json'), lockfile: project.read('package-lock.json') }
}

function leftBehind(): string[] {
  return fs.readdirSync(project.path('.agentserver'))
}

describe('installUpdates', () => {
  test('installs the latest versions, keeps the form of each range, and runs no install scripts', async () => {
    const installed = { fix: '1.0.0', pinned: '1.0.0', scripted: '1.0.0', '@acme/close': '1.0.0' }
    project = npmProject(
      {
        dependencies: { fix: '^1.0.0', pinned: '1.0.0', scripted: '^1.0.0' },
        devDependencies: { '@acme/close': '~1.0.0' },
      },
      installed,
    )
    expect(await installUpdates({ root: project.root, packageName: 'pinned' })).toEqual({
      updated: [{ name: 'pinned', from: '1.0.0', to: '3.0.0' }],
      restartRequired: true,
    })
    expect(JSON.parse(project.read('package.json'))).toMatchObject({
      dependencies: { fix: '^1.0.0', pinned: '3.0.0', scripted: '^1.0.0' },
    })

    const lines: string[] = []
    const rest = await installUpdates({ root: project.root, onOutput: (line) => lines.push(line) })
    expect(rest.updated).toEqual([
      { name: 'fix', from: '1.0.0', to: '1.0.1' },
      { name: 'scripted', from: '1.0.0', to: '2.0.0' },
      { name: '@acme/close', from: '1.0.0', to: '1.2.0' },
    ])
    expect(JSON.parse(project.read('package.json'))).toMatchObject({
      dependencies: { fix: '^1.0.1', pinned: '3.0.0', scripted: '^2.0.0' },
      devDependencies: { '@acme/close': '~1.2.0' },
    })
    expect(lines.join('\n')).toContain('changed 2 packages')
    expect(fs.existsSync(project.path(TRACE))).toBe(false)
    expect(leftBehind()).toEqual(['install-lock'])
  })

  test('restores package.json and the lockfile on failure, and reports only the error code', async () => {
    project = npmProject(
      { dependencies: { fix: '^1.0.0', broken: '1.0.0' } },
      { fix: '1.0.0', broken: '1.0.0' },
    )
    project.write({ 'package.json': project.read('package.json').replaceAll('\n', '\r\n') })
    const before = kept()
    await expect(installUpdates({ root: project.root })).rejects.toMatchObject({
      status: 500,
      message: 'npm failed to install the updates (E404)',
    })
    expect(kept()).toEqual(before)
    expect(leftBehind()).toEqual(['install-lock'])
  })
})

describe('a package that can not be installed', () => {
  test.each(['undeclared', '@acme/undeclared', 'constructor', 'toString'])(
    'is undeclared: %s',
    async (packageName) => {
      project = npmProject({ dependencies: { fix: '1.0.0' } }, { fix: '1.0.0' })
      await expect(installUpdates({ root: project.root, packageName })).rejects.toMatchObject({ status: 404 })
    },
  )

  test.each([
    '../evil',
    '@acme/../../evil',
    '..',
    '/etc/passwd',
    'C:\\evil',
    '-g',
    '--registry=http://evil.example',
    'https://evil.example/a.tgz',
    'git+ssh://evil.example/a.git',
    'file:../evil',
    'npm:evil@1',
    'acme/evil',
    'fix@latest',
    'fix evil',
    'fix;id',
    '$(id)',
    '`id`',
    'fix\n--global',
    '__proto__',
    '',
    'a'.repeat(215),
  ])('is one whose name is none: %j', async (packageName) => {
    project = npmProject({ dependencies: { fix: '1.0.0', [packageName]: '1.0.0' } }, { fix: '1.0.0' })
    registry.requests.length = 0
    await expect(installUpdates({ root: project.root, packageName })).rejects.toMatchObject({
      status: 400,
      message: 'packageName: Must be the name of an npm package',
    })
    expect(registry.requests).toEqual([])
  })

  test.each(['file:../local', 'npm:fix@1.0.0', 'workspace:*', 'git+https://example.com/a.git'])(
    'is not from a registry: %s',
    async (range) => {
      project = npmProject({ dependencies: { local: range } }, {})
      await expect(installUpdates({ root: project.root, packageName: 'local' })).rejects.toMatchObject({
        status: 400,
      })
    },
  )
})

describe('two installations', () => {
  test('do not run at the same time', async () => {
    project = npmProject({ dependencies: { fix: '^1.0.0' } }, { fix: '1.0.0' })
    const release = registry.hold()
    const first = installUpdates({ root: project.root })
    await expect(installUpdates({ root: project.root })).rejects.toMatchObject({
      status: 409,
      message: 'Another installation is running',
    })
    release()
    expect(await first).toMatchObject({ updated: [{ name: 'fix' }] })
  })

  test('run one after the other if the first was killed and is undone', async () => {
    project = npmProject({ dependencies: { fix: '^1.0.0' } }, { fix: '1.0.0' })
    const before = kept()
    const release = registry.hold()
    const killed = new TypescriptProcess('install-updates-forever.ts', project.root)
    await until(() => fs.existsSync(project.path('.agentserver/install-lock')))
    await killed.kill()
    release()
    // as if the installation had progressed further
    new InstallBackup(project.root).take([project.path('package.json'), project.path('package-lock.json')])
    project.write({ 'package.json': '{"name":"half', 'package-lock.json': '' })
    expect(await findUpdates({ root: project.root })).toMatchObject({ count: 1 })
    expect(kept()).toEqual(before)
    expect(await installUpdates({ root: project.root })).toMatchObject({
      updated: [{ name: 'fix', to: '1.0.1' }],
    })
    expect(leftBehind()).toEqual(['install-lock'])
  })

  test('an old backup does not overwrite later edits', async () => {
    project = npmProject({ dependencies: {} }, {})
    new InstallBackup(project.root).take([project.path('package.json')])
    const longAgo = new Date(0)
    fs.utimesSync(project.path('.agentserver/install-backup.json'), longAgo, longAgo)
    project.write({ 'package.json': '{"name":"mine"}' })
    await findUpdates({ root: project.root })
    expect(project.read('package.json')).toBe('{"name":"mine"}')
    expect(leftBehind()).toEqual(['install-lock'])
  })
})

test('an unreachable registry is reported within seconds', async () => {
  project = npmProject({ dependencies: { fix: '^1.0.0' } }, { fix: '1.0.0' })
  const before = kept()
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
  await expect(installUpdates({ root: project.root, packageName: 'fix' })).rejects.toMatchObject({
    status: 503,
    message: 'The package registry is unreachable (ECONNREFUSED)',
  })
  vi.stubEnv('npm_config_registry', registry.url)
  expect(kept()).toEqual(before)
})
