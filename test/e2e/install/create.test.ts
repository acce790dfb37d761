import fs from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REPOSITORY, readManifest } from '../../support/project/packed-package.ts'
import { TempProject } from '../../support/project/temp-project.ts'

/** A folder in which both tarballs are installed, and nothing else. */
const folder = new TempProject({ 'package.json': '{ "private": true }' })
/** Without a registry, what installs from one is skipped. */
const { exitCode } = await execa('npm', ['view', 'zod', 'version'], { reject: false, timeout: 30_000 })
const isOnline = exitCode === 0

const VERSION = (readManifest(REPOSITORY) as { version?: string }).version ?? ''
const TARBALL = `agentserver-${VERSION}.tgz`
const CREATE = `create-agentserver-${VERSION}.tgz`
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']

beforeAll(async () => {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder.root]
  await execa('npm', pack, { cwd: REPOSITORY })
  await execa('npm', pack, { cwd: path.join(REPOSITORY, 'create') })
})
afterAll(() => folder.remove())

/** Runs the unpacked create-agentserver, as npm does. */
async function create(args: readonly string[], cwd = folder.root) {
  const bin = folder.path('node_modules/create-agentserver/bin.js')
  const { exitCode, stdout, stderr } = await execa(process.execPath, [bin, ...args], {
    cwd,
    reject: false,
    stdin: 'ignore',
    env: { npm_config_user_agent: '' },
  })
  return { exitCode, stdout, stderr }
}

describe('create-agentserver', () => {
  beforeAll(async () => {
    fs.mkdirSync(folder.path('node_modules/create-agentserver'), { recursive: true })
    const to = ['--strip-components=1', '-C', 'node_modules/create-agentserver']
    await execa('tar', ['-xzf', CREATE, ...to], { cwd: folder.root })
  })

  it('is small, has no dependencies, and the version of agentserver', () => {
    const manifest = readManifest(folder.path('node_modules/create-agentserver'))
    expect(manifest).toMatchObject({ version: VERSION })
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
    expect(fs.statSync(folder.path(CREATE)).size).toBeLessThan(150_000)
    expect(folder.read('node_modules/create-agentserver/dist/licenses.md')).toContain('## @clack/prompts - ')
  })

  it('creates the project that init creates, from the version of the registry', async () => {
    const { exitCode, stdout } = await create(['shop', '--no-install', '--json', '--template', 'approval'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ template: 'approval', directory: folder.path('shop') })
    const bin = path.join(REPOSITORY, 'bin/agentserver.js')
    const args = ['init', 'other', '--no-install', '--template', 'approval', '--agentserver', `^${VERSION}`]
    await execa(process.execPath, [bin, ...args], { cwd: folder.root })
    const named = (name: string) =>
      new Map(
        fs
          .readdirSync(folder.path(name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => [
            path.relative(folder.path(name), file),
            fs.readFileSync(file, 'utf8').replace(`"name": "${name}"`, '"name": "…"'),
          ]),
      )
    expect(named('shop')).toEqual(named('other'))
    expect(folder.read('shop/package.json')).toContain(`"agentserver": "^${VERSION}"`)
  })

  it('refuses a directory that is not empty, also a project, which init extends', async () => {
    folder.write({ 'mine/package.json': '{}' })
    const { exitCode, stderr } = await create(['mine', '--yes'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/is not empty: package\.json\n.*`npx agentserver init`/)
    expect(fs.readdirSync(folder.path('mine'))).toEqual(['package.json'])
  })

  it('reports usage errors with the closest option, and its version and help', async () => {
    expect(await create(['shop', '--tempalte', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/Did you mean "--template"\?\nRun `create-agentserver --help`/),
    })
    expect(await create(['-v'])).toMatchObject({ exitCode: 0, stdout: VERSION })
    expect((await create(['--help'])).stdout).toContain('npm create agentserver@latest my-app')
  })

  it('works in the clone, too, and packs it', async () => {
    const bin = path.join(REPOSITORY, 'create/bin.js')
    await execa(process.execPath, [bin, 'cloned', '--no-install'], { cwd: folder.root })
    expect(fs.existsSync(folder.path(`cloned/${TARBALL}`))).toBe(true)
  })
})

describe.runIf(isOnline)('a project of the two tarballs', () => {
  const origin = new TempProject({ 'package.json': '{ "private": true }' })
  /** Package managers, from the registry, and the projects in other folders than those they were created in. */
  const tools = new TempProject({ 'package.json': '{ "private": true }' })
  beforeAll(async () => {
    for (const name of [TARBALL, CREATE]) fs.copyFileSync(folder.path(name), origin.path(name))
    await execa('npm', ['install', ...quiet, `./${TARBALL}`, `./${CREATE}`], { cwd: origin.root })
  }, 600_000)
  afterAll(() => {
    origin.remove()
    tools.remove()
  })

  it.for<[string, string | undefined]>([
    ['npm', undefined],
    ['pnpm', 'pnpm@10'],
    ['yarn', 'yarn@1.22.22'],
    ['bun', 'bun@1'],
  ])(
    'is created, moved, type-checked and tested with %s',
    { timeout: 600_000 },
    async ([manager, source], { skip }) => {
      // its script puts the program in place
      if (source !== undefined)
        await execa('npm', ['install', '--no-audit', '--no-fund', '--silent', source], { cwd: tools.root })
      const PATH = [tools.path('node_modules/.bin'), process.env['PATH']].join(path.delimiter)
      const env = { PATH, npm_config_user_agent: '', CI: '', NO_COLOR: '1' }
      const bin = origin.path('node_modules/create-agentserver/bin.js')
      const name = `shop-${manager}`
      const args = [name, '--package-manager', manager, '--yes', '--no-git', '--no-install']
      await execa(process.execPath, [bin, ...args], { cwd: origin.root, env })
      expect(origin.read(`${name}/package.json`)).toContain(`"agentserver": "file:./${TARBALL}"`)
      const moved = tools.path(name)
      fs.cpSync(origin.path(name), moved, { recursive: true })
      fs.rmSync(origin.path(name), { recursive: true })
      const installed = await execa(manager, ['install'], { cwd: moved, env, reject: false })
      // yarn 1 needs the optional packages of other systems, too, which the registry may not have yet
      skip(
        /Couldn't find package/.test(`${installed.stdout}${installed.stderr}`),
        'the registry lacks a package',
      )
      expect(installed).toMatchObject({ exitCode: 0 })
      await execa(manager, ['run', 'typecheck'], { cwd: moved, env })
      const { stdout } = await execa(manager, ['run', 'test'], { cwd: moved, env })
      expect(stdout).toMatch(/Tests\s+\d+ passed/)
    },
  )
})
