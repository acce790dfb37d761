import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findManager } from '../../../src/updates/package-managers.ts'
import { TempProject } from '../../support/project/temp-project.ts'

let project: TempProject
afterEach(() => project?.remove())

describe('the package manager', () => {
  const runBy = (agent: string | undefined) => vi.stubEnv('npm_config_user_agent', agent)
  beforeEach(() => void runBy(undefined))
  afterEach(() => void vi.unstubAllEnvs())

  const managerOf = async (files: Readonly<Record<string, string>>, directory = '.') => {
    project = new TempProject({ 'package.json': '{}', ...files })
    return await findManager(project.path(directory))
  }

  test.each<[Readonly<Record<string, string>>, string]>([
    [{}, 'npm'],
    [{ 'package-lock.json': '{}' }, 'npm'],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm'],
    [{ 'yarn.lock': '# yarn lockfile v1\n' }, 'yarn'],
    [{ 'yarn.lock': '__metadata:\n  version: 8\n' }, 'yarn@berry'],
    [{ 'bun.lock': '{}' }, 'bun'],
    [{ 'bun.lockb': '' }, 'bun'],
    [{ 'package.json': '{"packageManager":"pnpm@9.1.0"}', 'package-lock.json': '{}' }, 'pnpm'],
    [{ 'package.json': '{"packageManager":"yarn@1.22.22+sha512.a"}' }, 'yarn'],
    [{ 'package.json': '{"packageManager":"yarn@4.1.0"}' }, 'yarn@berry'],
    [{ 'package.json': '{"packageManager":"evil@1; rm -rf /"}' }, 'npm'],
    [{ 'package.json': '{"packageManager":"deno@2.0.0"}', 'yarn.lock': '__metadata:\n' }, 'yarn@berry'],
    [{ 'package.json': '\uFEFF{"packageManager":"bun@1.2.0"}' }, 'bun'],
    [
      { 'package.json': '{"devEngines":{"packageManager":{"name":"pnpm"}}}', 'package-lock.json': '{}' },
      'pnpm',
    ],
    [
      { 'package.json': '{"devEngines":{"packageManager":{"name":"yarn","version":"^4.0.0"}}}' },
      'yarn@berry',
    ],
    [{ 'package.json': '{"devEngines":{"packageManager":{"name":"yarn","version":"1.22.22"}}}' }, 'yarn'],
    [{ 'package.json': '{"packageManager":', 'pnpm-lock.yaml': '' }, 'pnpm'],
    [{ 'deno.lock': '{}', 'pnpm-lock.yaml': '' }, 'pnpm'],
  ])('follows from %j', async (files, expected) => {
    expect(await managerOf(files)).toMatchObject({ agent: expected, name: expected.split('@')[0] })
  })

  test('is that of the workspace, whose lockfile an installation changes', async () => {
    const { agent, files } = await managerOf(
      { 'package.json': '{"workspaces":["apps/*"]}', 'pnpm-lock.yaml': '', 'apps/shop/package.json': '{}' },
      'apps/shop',
    )
    expect(agent).toBe('pnpm')
    expect(files).toEqual(
      expect.arrayContaining([
        project.path('apps/shop/package.json'),
        project.path('package.json'),
        project.path('pnpm-lock.yaml'),
      ]),
    )
  })

  test('is the one that the workspace declares', async () => {
    const { agent } = await managerOf(
      {
        'package.json': '{"workspaces":["apps/*"],"devEngines":{"packageManager":{"name":"bun"}}}',
        'apps/shop/package.json': '{}',
        'apps/shop/package-lock.json': '{}',
      },
      'apps/shop',
    )
    expect(agent).toBe('bun')
  })

  test('is not that of a parent directory that is no workspace', async () => {
    const { agent } = await managerOf({ 'pnpm-lock.yaml': '', 'apps/shop/package.json': '{}' }, 'apps/shop')
    expect(agent).toBe('npm')
  })

  test.each([
    ['yarn/1.22.22 npm/? node/v24.0.0 linux x64', 'yarn'],
    ['yarn/4.1.0 npm/? node/v24.0.0 linux x64', 'yarn@berry'],
    ['pnpm/10.1.0 npm/? node/v24.0.0 linux x64', 'pnpm'],
  ])('is the one that runs this process if the project names none: %s', async (agent, expected) => {
    runBy(agent)
    expect((await managerOf({})).agent).toBe(expected)
    project.remove()
    expect((await managerOf({ 'bun.lock': '{}' })).agent).toBe('bun')
  })
})
