import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { CONFIG_FILE_NAMES, findProject } from '../../../src/config/project.ts'
import { AppError } from '../../../src/lib/errors.ts'
import { TempProject } from '../../support/project/temp-project.ts'

let project: TempProject
afterEach(() => project.remove())

test.each(CONFIG_FILE_NAMES)('a directory with %s is a project', (name) => {
  project = new TempProject({ [name]: '' })
  expect(findProject({ cwd: project.root })).toEqual({ root: project.root, configFile: project.path(name) })
})

test('TypeScript takes precedence over JavaScript', () => {
  project = new TempProject({ 'agentserver.config.js': '', 'agentserver.config.ts': '' })
  expect(findProject({ cwd: project.root }).configFile).toBe(project.path('agentserver.config.ts'))
})

test('the directory of a given config file is the project', () => {
  project = new TempProject({ 'apps/one/my-config.ts': '' })
  const found = { root: project.path('apps/one'), configFile: project.path('apps/one/my-config.ts') }
  expect(findProject({ cwd: project.root, config: 'apps/one/my-config.ts' })).toEqual(found)
})

test('a given directory is the project', () => {
  project = new TempProject({ 'apps/one/agentserver.config.mjs': '' })
  expect(findProject({ cwd: project.root, config: 'apps/one' }).root).toBe(project.path('apps/one'))
})

test('the error for a missing config file has a hint', () => {
  project = new TempProject({ 'package.json': '{}' })
  const failure = errorOf(() => findProject({ cwd: project.root }))
  expect(failure).toMatchObject({ code: 'invalid_config', message: expect.stringContaining(project.root) })
  expect(failure.hint).toContain('agentserver init')
  expect(failure.hint).toContain('--config')
})

test('the error for a missing given file contains its path', () => {
  project = new TempProject({ 'agentserver.config.ts': '' })
  const failure = errorOf(() => findProject({ cwd: project.root, config: 'other.ts' }))
  expect(failure.message).toContain(path.join(project.root, 'other.ts'))
})

function errorOf(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
