import fs from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import type { Options } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { NO_MODEL } from '../../support/model/model-env.ts'
import { RunningServer } from '../../support/project/cli-project.ts'
import { REPOSITORY, readManifest } from '../../support/project/packed-package.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { until } from '../../support/until.ts'

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
    'is created, moved, served, edited, killed and tested with %s, and with npm started as its image is',
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
      await serveEditAndKill(moved)
      const { stdout } = await execa(manager, ['run', 'test'], { cwd: moved, env })
      expect(stdout).toMatch(/Tests\s+\d+ passed/)
      // the image of the documentation is one of npm
      if (manager === 'npm') await startFromImage(moved, tools.path('image'))
    },
  )
})

/** The order of the template that needs an approval. */
const DESK = {
  orderId: 'B-1',
  email: 'grace@example.com',
  items: [{ sku: 'desk', quantity: 1 }],
}

/** What a new user does with a project: approves in the browser, saves an edit, and loses the process. */
async function serveEditAndKill(root: string): Promise<void> {
  let server = await serve('dev', root)
  let browser: ConsoleBrowser | undefined
  const statusOf = async (id: string) => (await server.get(`/observability/executions/${id}`)).data.status
  const suspended = async () => {
    const { data } = await server.post('/workflows/order/execute', { input: DESK })
    expect(data).toMatchObject({ status: 'suspended' })
    return data.executionId as string
  }
  const token = () => fs.readFileSync(path.join(root, '.agentserver/token'), 'utf8').trim()
  const approve = async (id: string) => {
    browser ??= await ConsoleBrowser.launch(server.url, '', token)
    const { page, complaints } = await browser.open(`executions/${id}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await until(async () => (await statusOf(id)) === 'completed', 'the approved order')
    expect(complaints).toEqual([])
    await page.context().close()
  }
  try {
    await approve(await suspended())
    const waiting = await suspended()
    const file = path.join(root, 'src/workflows/order.ts')
    const purpose = "purpose: 'Check, approve, charge and ship an order'"
    const source = fs.readFileSync(file, 'utf8')
    expect(source).toContain(purpose)
    fs.writeFileSync(file, source.replace(purpose, "purpose: 'Ship what was approved'"))
    const purposeNow = async () => (await server.get('/workflows/order')).data.purpose
    await until(async () => (await purposeNow()) === 'Ship what was approved', 'the edit to be served')
    const { port } = new URL(server.url)
    await server.kill('SIGKILL')
    server = await serve('dev', root, port)
    expect(await statusOf(waiting)).toBe('suspended')
    await approve(waiting)
  } finally {
    await browser?.close()
    await server.kill('SIGKILL')
  }
}

/** Builds the image of the documentation without Docker: its context, its dependencies, its command. */
async function startFromImage(root: string, image: string): Promise<void> {
  const [dockerfile, ignored] = ['Dockerfile', '.dockerignore'].map((name) =>
    fs.readFileSync(path.join(REPOSITORY, 'examples/deployment', name), 'utf8'),
  ) as [string, string]
  const isIgnored = matcher(ignored)
  const context = path.join(image, 'context')
  fs.cpSync(root, context, {
    recursive: true,
    filter: (from) => from === root || !isIgnored(path.relative(root, from)),
  })
  expect(fs.readdirSync(context)).not.toContain('node_modules')
  // the first stage has only what it copies
  const [, copied = ''] = /^COPY (.*) \.\/$/m.exec(dockerfile) ?? []
  const [, run = ''] = /^RUN (npm .*)$/m.exec(dockerfile) ?? []
  const patterns = copied.split(' ').map(pattern)
  const app = path.join(image, 'app')
  fs.mkdirSync(app)
  for (const name of fs.readdirSync(context).filter((one) => patterns.some((each) => each.test(one))))
    fs.copyFileSync(path.join(context, name), path.join(app, name))
  const installed = await execa(run, { cwd: app, shell: true, reject: false })
  // where the registry lacks an optional package of another system, npm writes a lock file that it then refuses
  if (/Missing: .* from lock file/.test(installed.stderr))
    await execa('npm', ['install', '--omit=dev', ...quiet], { cwd: app })
  else expect(installed).toMatchObject({ exitCode: 0 })
  fs.cpSync(context, app, { recursive: true })
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, program] = JSON.parse(command) as string[]
  const server = await serve('start', app, '0', program)
  try {
    expect(await (await fetch(new URL('/readyz', server.url))).text()).toBe('ok')
    expect((await server.get('/workflows/order')).status).toBe(200)
  } finally {
    await server.kill('SIGKILL')
  }
}

/** What a .dockerignore file without comments leaves out: the last pattern that matches decides. */
function matcher(text: string): (file: string) => boolean {
  const rules = text
    .trim()
    .split('\n')
    .map((line) => ({ isOut: !line.startsWith('!'), name: pattern(line.replace('!', '')) }))
  return (file) => rules.findLast(({ name }) => name.test(file))?.isOut ?? false
}

function pattern(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
}

async function serve(
  command: 'dev' | 'start',
  cwd: string,
  port = '0',
  program = 'node_modules/agentserver/bin/agentserver.js',
): Promise<RunningServer> {
  const env = {
    ...NO_MODEL,
    NODE_ENV: command === 'dev' ? undefined : 'production',
    SERVICE_CONSOLE_ACCESS_KEY: command === 'dev' ? undefined : 'k'.repeat(32),
  }
  const args = [program, command, '--port', port, '--json']
  const server = new RunningServer(
    execa(process.execPath, args, { cwd, env, reject: false, stdin: 'ignore' } as Options),
  )
  await server.ready()
  return server
}
