import { afterEach, beforeEach, expect, test } from 'vitest'
import { EnvFiles } from '../../../src/config/env-files.ts'
import { TempProject } from '../../support/project/temp-project.ts'

let project: TempProject
beforeEach(() => {
  project = new TempProject()
})
afterEach(() => project.remove())

function envFiles(env: NodeJS.ProcessEnv, mode = 'development') {
  return new EnvFiles({ root: project.root, mode, env })
}

test('a more specific file overrides others', () => {
  project.write({
    '.env': 'A=env\nB=env\nC=env\nD=env',
    '.env.local': 'B=local\nC=local\nD=local',
    '.env.development': 'C=mode\nD=mode',
    '.env.development.local': 'D=mode-local',
    '.env.production': 'A=never',
  })
  const env: NodeJS.ProcessEnv = {}
  envFiles(env).apply()
  expect(env).toEqual({ A: 'env', B: 'local', C: 'mode', D: 'mode-local' })
})

test('shell variables override all files and are never removed', () => {
  project.write({ '.env': 'TOKEN=file' })
  const env: NodeJS.ProcessEnv = { TOKEN: 'shell' }
  const files = envFiles(env)
  expect(files.apply()).toEqual([])
  project.write({ '.env': '' })
  expect(files.apply()).toEqual([])
  expect(env).toEqual({ TOKEN: 'shell' })
})

test('changes are reported by name, never by value', () => {
  project.write({ '.env': 'KEEP=1\nEDIT=secret-one\nDROP=secret-two' })
  const env: NodeJS.ProcessEnv = {}
  const files = envFiles(env)
  files.apply()
  project.write({ '.env': 'KEEP=1\nEDIT=secret-three\nNEW=secret-four' })
  const changes = files.apply()
  expect(changes).toEqual([
    { key: 'DROP', kind: '-' },
    { key: 'EDIT', kind: '~' },
    { key: 'NEW', kind: '+' },
  ])
  expect(env).toEqual({ KEEP: '1', EDIT: 'secret-three', NEW: 'secret-four' })
  expect(files.apply()).toEqual([])
})

test('deleting a file removes its variables', () => {
  project.write({ '.env': 'A=1', '.env.local': 'A=2' })
  const env: NodeJS.ProcessEnv = {}
  const files = envFiles(env)
  files.apply()
  project.delete('.env.local')
  expect(files.apply()).toEqual([{ key: 'A', kind: '~' }])
  project.delete('.env')
  expect(files.apply()).toEqual([{ key: 'A', kind: '-' }])
  expect(env).toEqual({})
})

test('a variable that user code has changed is not removed', () => {
  project.write({ '.env': 'A=1' })
  const env: NodeJS.ProcessEnv = {}
  const files = envFiles(env)
  files.apply()
  env['A'] = 'set by code'
  files.restore()
  expect(env).toEqual({ A: 'set by code' })
})

test('an unreadable .env is a config error', () => {
  project.write({ '.env/file': '' })
  expect(() => envFiles({}).apply()).toThrow(expect.objectContaining({ code: 'invalid_config' }))
})
