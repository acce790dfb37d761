import fs from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findUpdates } from '../../src/updates/find-updates.ts'
import { PackageRegistry, npmProject } from '../support/project/package-registry.ts'
import type { TempProject } from '../support/project/temp-project.ts'

const registry = new PackageRegistry({
  current: { versions: ['0.9.0', '1.0.0'] },
  fix: { versions: ['1.0.0', '1.0.1'] },
  feature: { versions: ['1.0.0', '1.1.0', '1.2.0'] },
  '@acme/breaking': { versions: ['1.0.0', '1.4.0', '2.0.0'] },
  ahead: { versions: ['1.0.0', '2.0.0-beta.1'], latest: '1.0.0' },
  missing: { versions: ['1.0.0'] },
  base: { versions: ['1.0.0', '9.0.0'] },
  first: { versions: ['1.0.0'] },
  shop: { versions: ['1.0.0'] },
})
let project: TempProject | undefined

beforeAll(async () => {
  await registry.listen()
  for (const [name, value] of Object.entries(registry.env)) vi.stubEnv(name, value)
})
afterAll(() => registry.close())
afterEach(() => project?.remove())

describe('findUpdates', () => {
  test('lists updates of declared packages with their type', async () => {
    project = npmProject(
      {
        dependencies: { current: '^1.0.0', fix: '^1.0.0', missing: '^1.0.0', ahead: '2.0.0-beta.1' },
        devDependencies: { feature: '~1.1.0' },
        optionalDependencies: { '@acme/breaking': '^1.0.0' },
        peerDependencies: { base: '>=1' },
      },
      {
        current: '1.0.0',
        fix: '1.0.0',
        feature: '1.1.0',
        '@acme/breaking': '1.0.0',
        ahead: '2.0.0-beta.1',
        base: '1.0.0',
      },
    )
    expect(await findUpdates({ root: project.root })).toEqual({
      hasUpdates: true,
      count: 3,
      packageManager: 'npm',
      updates: [
        { name: 'fix', installed: '1.0.0', wanted: '1.0.1', latest: '1.0.1', type: 'patch' },
        { name: 'feature', installed: '1.1.0', wanted: '1.1.0', latest: '1.2.0', type: 'minor' },
        { name: '@acme/breaking', installed: '1.0.0', wanted: '1.4.0', latest: '2.0.0', type: 'major' },
      ],
      checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
  })

  test("lists the project's own version, not that of a package that depends on the same one", async () => {
    const libraries = { first: '1.0.0', shop: '1.0.0' }
    project = npmProject(
      { dependencies: { ...libraries, fix: '^1.0.0', feature: '1.1.0', current: '^1.0.0' } },
      { ...libraries, fix: '1.0.0', feature: '1.1.0', current: '1.0.0' },
    )
    const root = project.path('shop')
    for (const name of Object.keys(libraries)) {
      const dependencies = { fix: '1.0.0', feature: '^1.0.0', current: '0.9.0' }
      project.write({
        [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', dependencies }),
      })
      const nested = { name: 'current', version: '0.9.0' }
      project.write({ [`node_modules/${name}/node_modules/current/package.json`]: JSON.stringify(nested) })
    }
    // a directory with the name of one of the libraries, and no lockfile: npm reads what is installed
    fs.rmSync(project.path('package-lock.json'))
    project.write({ 'shop/package.json': project.read('package.json') })
    fs.renameSync(project.path('node_modules'), project.path('shop/node_modules'))
    const { updates } = await findUpdates({ root })
    expect(updates).toEqual([
      { name: 'fix', installed: '1.0.0', wanted: '1.0.1', latest: '1.0.1', type: 'patch' },
      { name: 'feature', installed: '1.1.0', wanted: '1.1.0', latest: '1.2.0', type: 'minor' },
    ])
  })

  test('skips packages that are not from a registry, and invalid names', async () => {
    registry.requests.length = 0
    project = npmProject(
      {
        dependencies: {
          alias: 'npm:fix@^1.0.0',
          git: 'git+ssh://git@example.com/a.git',
          hub: 'acme/hub',
          file: 'file:../file',
          folder: './folder',
          packed: 'packed.tgz',
          linked: 'link:../linked',
          member: 'workspace:*',
          url: 'https://example.com/url.tgz',
          '--registry=http://evil.example': '1.0.0',
          '-g': '1.0.0',
          '../up': '1.0.0',
          'https://evil.example/a': '1.0.0',
          'a;b': '1.0.0',
          __proto__x: '1.0.0',
        },
      },
      {},
    )
    expect(await findUpdates({ root: project.root })).toMatchObject({
      hasUpdates: false,
      count: 0,
      updates: [],
    })
    expect(registry.requests).toEqual([])
  })

  test('says that nothing is installed, without asking the registry', async () => {
    registry.requests.length = 0
    project = npmProject({ dependencies: { fix: '^1.0.0', missing: '^1.0.0' } }, {})
    await expect(findUpdates({ root: project.root })).rejects.toMatchObject({
      status: 409,
      message: 'No package of package.json is installed: run npm install',
    })
    expect(registry.requests).toEqual([])
    project.write({ 'pnpm-lock.yaml': '' })
    fs.rmSync(project.path('package-lock.json'), { force: true })
    await expect(findUpdates({ root: project.root })).rejects.toThrow('run pnpm install')
  })

  test('works in a subdirectory of the package', async () => {
    project = npmProject({ dependencies: { fix: '1.0.0' } }, { fix: '1.0.0' })
    project.write({ 'apps/shop/agentserver.config.ts': '' })
    expect(await findUpdates({ root: project.path('apps/shop') })).toMatchObject({ count: 1 })
  })

  test('rejects a project without a valid package.json', async () => {
    project = npmProject({}, {})
    project.write({ 'package.json': '{' })
    await expect(findUpdates({ root: project.root })).rejects.toMatchObject({ code: 'invalid_config' })
    fs.rmSync(project.path('package.json'))
    await expect(findUpdates({ root: project.root })).rejects.toMatchObject({
      code: 'invalid_config',
      message: 'The project has no package.json',
    })
  })

  test('fails within seconds if the registry is unreachable', async () => {
    project = npmProject({ dependencies: { fix: '1.0.0' } }, { fix: '1.0.0' })
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
    const begin = performance.now()
    await expect(findUpdates({ root: project.root })).rejects.toMatchObject({
      status: 503,
      message: 'The package registry is unreachable (ECONNREFUSED)',
    })
    expect(performance.now() - begin).toBeLessThan(30_000)
    vi.stubEnv('npm_config_registry', registry.url)
  })
})
