import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bun } from '../../../../src/updates/managers/bun.ts'
import { chooseManager } from '../../../../src/updates/managers/choose.ts'
import type { PackageManager } from '../../../../src/updates/managers/package-manager.ts'
import { pnpm } from '../../../../src/updates/managers/pnpm.ts'
import { yarnClassic } from '../../../../src/updates/managers/yarn-classic.ts'
import { yarn } from '../../../../src/updates/managers/yarn.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

let project: TempProject
afterEach(() => project?.remove())

describe('the package manager', () => {
  const runBy = (agent: string | undefined) => vi.stubEnv('npm_config_user_agent', agent)
  beforeEach(() => void runBy(undefined))
  afterEach(() => void vi.unstubAllEnvs())

  const managerOf = async (files: Readonly<Record<string, string>>, directory = '.') => {
    project = new TempProject({ 'package.json': '{}', ...files })
    return await chooseManager(project.path(directory))
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
    [{ 'package.json': '{"packageManager":"deno@2.0.0"}', 'yarn.lock': '__metadata:\n' }, yarn],
    [{ 'package.json': '\uFEFF{"packageManager":"bun@1.2.0"}' }, bun],
    [
      { 'package.json': '{"devEngines":{"packageManager":{"name":"pnpm"}}}', 'package-lock.json': '{}' },
      pnpm,
    ],
    [{ 'package.json': '{"devEngines":{"packageManager":{"name":"yarn","version":"^4.0.0"}}}' }, yarn],
    [
      { 'package.json': '{"devEngines":{"packageManager":{"name":"yarn","version":"1.22.22"}}}' },
      yarnClassic,
    ],
    [{ 'package.json': '{"packageManager":', 'pnpm-lock.yaml': '' }, pnpm],
    [{ 'deno.lock': '{}', 'pnpm-lock.yaml': '' }, pnpm],
  ])('follows from %j', async (files, expected) => {
    const { manager } = await managerOf(files)
    expect(expected === 'npm' ? manager.name : manager).toBe(expected)
  })

  test('is that of the workspace, whose lockfile an installation changes', async () => {
    const { manager, files } = await managerOf(
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

  test('is the one that the workspace declares', async () => {
    const { manager } = await managerOf(
      {
        'package.json': '{"workspaces":["apps/*"],"devEngines":{"packageManager":{"name":"bun"}}}',
        'apps/shop/package.json': '{}',
        'apps/shop/package-lock.json': '{}',
      },
      'apps/shop',
    )
    expect(manager).toBe(bun)
  })

  test('is not that of a parent directory that is no workspace', async () => {
    const { manager } = await managerOf({ 'pnpm-lock.yaml': '', 'apps/shop/package.json': '{}' }, 'apps/shop')
    expect(manager.name).toBe('npm')
  })

  test.each([
    ['yarn/1.22.22 npm/? node/v24.0.0 linux x64', yarnClassic],
    ['yarn/4.1.0 npm/? node/v24.0.0 linux x64', yarn],
    ['pnpm/10.1.0 npm/? node/v24.0.0 linux x64', pnpm],
  ])('is the one that runs this process if the project names none: %s', async (agent, expected) => {
    runBy(agent)
    expect((await managerOf({})).manager).toBe(expected)
    project.remove()
    expect((await managerOf({ 'bun.lock': '{}' })).manager).toBe(bun)
  })
})
