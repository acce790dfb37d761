import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkAuth } from '../../../../src/cli/doctor/auth-check.ts'
import { checkEnvFiles } from '../../../../src/cli/doctor/env-check.ts'
import { checkNode } from '../../../../src/cli/doctor/node-check.ts'
import { ownPackage } from '../../../../src/cli/doctor/own-package.ts'
import { checkPackages } from '../../../../src/cli/doctor/packages-check.ts'
import { checkPort } from '../../../../src/cli/doctor/port-check.ts'
import { TempProject } from '../../../support/temp-project.ts'

let project: TempProject
beforeEach(() => {
  project = new TempProject()
})
afterEach(() => project.remove())

test('the Node that runs this is supported, an older one is not', () => {
  const { engines } = ownPackage()
  expect(checkNode(process.versions.node, engines.node).status).toBe('ok')
  expect(checkNode('18.20.4', engines.node)).toMatchObject({
    status: 'error',
    message: 'Node 18.20.4 is not supported',
    advice: expect.stringContaining(engines.node),
  })
})

describe('packages', () => {
  const check = (needed: readonly string[] = []) =>
    checkPackages({
      root: project.root,
      peers: { ...ownPackage().peerDependencies, zod: '^3.25 || ^4' },
      needed,
    })
      .filter(({ status }) => status !== 'ok')
      .map(({ status, message }) => `${status}: ${message}`)
  const install = (name: string, version: string) =>
    project.write({ [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }) })

  test('that go together are in order', () => {
    install('ai', '6.0.1')
    install('zod', '3.25.76')
    expect(check(['ai'])).toEqual([])
  })

  test('that do not are errors', () => {
    install('ai', '4.3.0')
    install('zod', '3.22.0')
    install('agentserver', '0.0.1')
    expect(check()).toEqual([
      expect.stringMatching(/^warning: This is agentserver .*; the project has 0\.0\.1$/),
      'error: ai 4.3.0 is not supported',
      'error: zod 3.22.0 is not supported',
    ])
  })

  test('are missed only where something needs them', () => {
    expect(check()).toEqual([])
    expect(check(['ai'])).toEqual(['error: ai is not installed'])
  })
})

describe('authentication', () => {
  const provider = { type: 'jwt', verifyToken: () => null }
  const check = (options: Partial<Parameters<typeof checkAuth>[0]>) =>
    checkAuth({ config: {}, host: '127.0.0.1', production: true, env: {}, ...options }).map(
      ({ status, message }) => `${status}: ${message}`,
    )

  test('in production wants a console key', () => {
    const config = { authNext: { provider } }
    expect(check({ config, env: { SERVICE_CONSOLE_ACCESS_KEY: ' ' } })).toEqual([
      'ok: authNext with jwt',
      'warning: No console key is set: console routes answer 401',
    ])
    expect(check({ config, env: { SERVICE_CONSOLE_ACCESS_KEY: 'hunter2' } })).toEqual([
      'ok: authNext with jwt',
    ])
  })

  test('that can not work is an error', () => {
    const weak = { ...provider, problems: () => ['The secret is too short'] }
    expect(check({ config: { authNext: { provider: weak } } })).toEqual(['error: The secret is too short'])
  })

  test('of the older mode is told as that', () => {
    expect(check({ config: { auth: provider }, production: false })).toEqual([
      'ok: auth with jwt',
      'warning: The option auth is deprecated',
    ])
  })
})

describe('.env files', () => {
  test('are read line by line, values of several lines as one', () => {
    project.write({
      '.env':
        "\uFEFF# comment\r\n\r\nA=1\r\nB=\"one\r\nnot a variable\r\nlast\"\r\nodd line\r\nexport C='x'\r\nD=it's\r\n=1\r\n",
    })
    expect(checkEnvFiles(project.root, 'development')).toMatchObject([
      { status: 'warning', message: '.env: line 7, 10 sets nothing' },
    ])
  })

  test('that are no files are errors', () => {
    project.write({ '.env.development/file': '' })
    expect(checkEnvFiles(project.root, 'development')).toMatchObject([
      { status: 'error', message: '.env.development is not a file' },
    ])
  })
})

test('an address that this machine does not have is an error', async () => {
  const address = { port: 3141, host: '203.0.113.1', portAsked: false }
  expect(await checkPort(address, undefined)).toMatchObject({
    status: 'error',
    message: "Can't listen on 203.0.113.1:3141 (EADDRNOTAVAIL)",
  })
})
