import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { nextCommand, programCalled } from '../../../src/cli/invocation.ts'
import { TempProject } from '../../support/project/temp-project.ts'

let bin: TempProject | undefined
afterEach(() => bin?.remove())

const installed = '/shop/node_modules/.bin/agentserver'
const called = (script: string, env: Record<string, string> = {}) =>
  programCalled({ script, cwd: '/shop', env: { PATH: '/usr/bin', ...env } })
const by = (agent: string, env: Record<string, string> = {}) =>
  called(installed, { npm_config_user_agent: `${agent} npm/? node/v24.0.0 linux x64`, ...env })

describe.skipIf(process.platform === 'win32')('the text that runs the program again', () => {
  test.each([
    ['npm/11.1.0', 'npx agentserver'],
    ['pnpm/10.1.0', 'pnpm exec agentserver'],
    ['yarn/4.1.0', 'yarn run agentserver'],
    ['bun/1.2.0', 'bunx agentserver'],
  ])('is that of the package manager %s', (agent, text) => {
    expect(by(agent, { npm_lifecycle_event: 'npx', npm_command: 'exec' })).toBe(text)
    expect(by(agent, { npm_lifecycle_event: 'dev', npm_lifecycle_script: 'agentserver dev' })).toBe(text)
  })

  test.each([
    ['npm/11.1.0', 'npm run cli --'],
    ['pnpm/10.1.0', 'pnpm run cli'],
    ['yarn/1.22.22', 'yarn run cli'],
  ])('is the script of package.json that %s ran, if it takes any command', (agent, text) => {
    expect(by(agent, { npm_lifecycle_event: 'cli', npm_lifecycle_script: 'agentserver' })).toBe(text)
  })

  test('is the file that node was given, also below a package manager', () => {
    expect(called('/shop/clone/bin/agentserver.js')).toBe('node clone/bin/agentserver.js')
    expect(called('/clone/bin/agentserver.js')).toBe('node /clone/bin/agentserver.js')
    expect(called('/my clone/agentserver.js', { npm_config_user_agent: 'npm/11' })).toBe(
      "node '/my clone/agentserver.js'",
    )
  })

  test('is the name alone if the shell finds it, else the path', () => {
    expect(called(installed)).toBe('node_modules/.bin/agentserver')
    bin = new TempProject({ agentserver: '' })
    const PATH = ['/usr/bin', bin.root].join(path.delimiter)
    expect(called(path.join(bin.root, 'agentserver'), { PATH })).toBe('agentserver')
    expect(called('/usr/lib/node_modules/agentserver/bin/agentserver.js', { PATH })).toBe('agentserver')
    expect(called('/shop/node_modules/agentserver/bin/agentserver.js')).toBe('npx agentserver')
  })
})

describe.skipIf(process.platform === 'win32')('a command to run next', () => {
  const next = (args: string, options: Record<string, unknown>) =>
    nextCommand(args, { program: 'npx agentserver', options })

  test('repeats the options that select the project or the server, without secrets', () => {
    const options = { config: 'apps/my shop', url: 'http://h:1', key: 'k-1', token: undefined, json: true }
    expect(next('state e1', options)).toBe(
      `npx agentserver state e1 --config 'apps/my shop' --url http://h:1 --key '<key>'`,
    )
    expect(next('state e1', {})).toBe('npx agentserver state e1')
  })

  test('repeats none that the next command does not use', () => {
    const options = { cwd: 'shop', config: 'a.ts', url: 'http://h:1', token: 't' }
    expect(next('dev', options)).toBe('npx agentserver dev --cwd shop --config a.ts')
    expect(next('init', options)).toBe('npx agentserver init')
    expect(next('list --help', options)).toBe('npx agentserver list --help')
  })
})
