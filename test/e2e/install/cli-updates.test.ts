import fs from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CliProject } from '../../support/project/cli-project.ts'
import { PackageRegistry, npmProject } from '../../support/project/package-registry.ts'
import type { TempProject } from '../../support/project/temp-project.ts'
import { until } from '../../support/until.ts'

const registry = new PackageRegistry({
  fix: { versions: ['1.0.0', '1.0.1'] },
  '@acme/breaking': { versions: ['1.0.0', '2.0.0'] },
})
const cli = new CliProject()
let project: TempProject

beforeAll(() => registry.listen())
afterEach(() => project.remove())
afterAll(async () => {
  await cli.end()
  await registry.close()
})

function shop(): TempProject {
  project = npmProject(
    { dependencies: { fix: '^1.0.0' }, devDependencies: { '@acme/breaking': '^1.0.0' } },
    { fix: '1.0.0', '@acme/breaking': '1.0.0' },
  )
  project.write({ 'agentserver.config.ts': 'export default {}' })
  return project
}

const inShop = (env: Record<string, string> = {}) => ({
  cwd: project.root,
  env: { ...registry.env, ...env },
})

test('check-updates lists updates', async () => {
  shop()
  const [text, json] = await Promise.all([
    cli.run(['check-updates'], inShop()),
    cli.json(['check-updates'], inShop()),
  ])
  expect(text.stdout.split('\n').map((line) => line.split(/\s+/))).toEqual([
    ['PACKAGE', 'INSTALLED', 'WANTED', 'LATEST', 'TYPE'],
    ['fix', '1.0.0', '1.0.1', '1.0.1', 'patch'],
    ['@acme/breaking', '1.0.0', '1.0.0', '2.0.0', 'major'],
  ])
  expect(text.exitCode).toBe(0)
  expect(json.exitCode).toBe(0)
  expect(json.value).toMatchObject({ hasUpdates: true, count: 2, packageManager: 'npm' })
})

test("check-updates --install installs one or all, with npm's output as progress", async () => {
  shop()
  const one = await cli.json(['check-updates', '--install', '@acme/breaking'], inShop())
  expect(one).toEqual({
    exitCode: 0,
    value: { updated: [{ name: '@acme/breaking', from: '1.0.0', to: '2.0.0' }], restartRequired: true },
  })
  const all = await cli.run(['check-updates', '--install'], inShop())
  expect(all.exitCode).toBe(0)
  expect(all.stdout).toBe('✓ fix 1.0.0 → 1.0.1')
  expect(all.stderr).toContain('changed 1 package')
  const none = await cli.run(['check-updates'], inShop())
  expect(none).toMatchObject({ exitCode: 0, stdout: '', stderr: 'All packages are up to date.' })
})

test.each([
  ['undeclared', 'Package not found in package.json: undeclared'],
  ['../evil', 'Must be the name of an npm package'],
])('check-updates --install %s is refused with exit code 2', async (name, message) => {
  shop()
  const { exitCode, stdout, stderr } = await cli.run(['check-updates', '--install', name], inShop())
  expect(stderr).toContain(message)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
})

test('check-updates exits with 4 if the registry is unreachable', async () => {
  shop()
  const offline = inShop({ npm_config_registry: 'http://127.0.0.1:9/' })
  const { exitCode, stdout, stderr } = await cli.run(['check-updates', '--json'], offline)
  expect(stderr).toContain('The package registry is unreachable (ECONNREFUSED)')
  expect(JSON.parse(stdout)).toEqual({ success: false, error: expect.stringContaining('ECONNREFUSED') })
  expect(exitCode).toBe(4)
})

test('check-updates --install restores all files on Ctrl-C', async () => {
  shop()
  const before = project.read('package.json')
  registry.requests.length = 0
  const running = cli.spawn(['check-updates', '--install'], inShop())
  await until(() => fs.existsSync(project.path('.agentserver/install-backup.json')))
  project.write({ 'package.json': '{}' })
  running.kill('SIGINT')
  const { exitCode } = await running
  expect(exitCode).toBe(130)
  expect(project.read('package.json')).toBe(before)
  expect(fs.readdirSync(project.path('.agentserver'))).toEqual(['install-lock'])
})

test('a server in production installs only if the configuration allows it', async () => {
  const forbidden = await cli.serve('start', inShopServer('export default {}'))
  const refused = await cli.run(['check-updates', '--install', '--url', forbidden.url])
  expect(refused.stderr).toContain('Installing updates is disabled in production')
  expect(refused.exitCode).toBe(4)
  await forbidden.kill('SIGTERM')
  const allowed = await cli.serve('start', inShopServer('export default { updates: { allowInstall: true } }'))
  const installed = await cli.json(['check-updates', '--install', 'fix', '--url', allowed.url])
  expect(installed.value).toMatchObject({ updated: [{ name: 'fix', to: '1.0.1' }] })
  await allowed.kill('SIGTERM')
})

function inShopServer(config: string): ReturnType<typeof inShop> {
  const files = project && fs.existsSync(project.root) ? project : shop()
  files.write({ 'agentserver.config.ts': config })
  return inShop({ NODE_ENV: 'production' })
}
