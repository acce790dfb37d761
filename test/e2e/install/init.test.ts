import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/lib/packages/own-package.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const TEMPLATES = fs.readdirSync(path.join(REPOSITORY, 'templates')).filter((name) => name !== 'shared')

const HAS_SCRIPT = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const cli = new CliProject()
let place: TempProject

beforeEach(() => {
  place = new TempProject()
})
afterEach(() => place.remove())
afterAll(() => cli.end())

const inPlace = (env: Record<string, string | undefined> = {}) => ({
  cwd: place.root,
  env: { npm_config_user_agent: undefined, ...env },
})
const init = (args: readonly string[], env?: Record<string, string | undefined>) =>
  cli.run(['init', ...withTarball(args)], inPlace(env))

const TARBALL = `agentserver-${VERSION}.tgz`
const packed = new TempProject()
beforeAll(async () => {
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', packed.root], { cwd: REPOSITORY })
})
afterAll(() => packed.remove())

/** The tarball is packed once, and not for each project. */
const withTarball = (args: readonly string[]) => [...args, '--agentserver', packed.path(TARBALL)]

/** All files in a directory with their content; empty if it does not exist. */
function filesBelow(directory: string): [string, string][] {
  if (!fs.existsSync(directory)) return []
  const names = fs.readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => fs.statSync(path.join(directory, name)).isFile())
    .map((name): [string, string] => [
      name.split(path.sep).join('/'),
      fs.readFileSync(path.join(directory, name), 'utf8'),
    ])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The files of a template, without those that running it in place creates. */
function templateFiles(name: string): [string, string][] {
  return ['shared', name]
    .flatMap((folder) => filesBelow(path.join(REPOSITORY, 'templates', folder)))
    .filter(([file]) => !/^(?:\.agentserver|node_modules)\//.test(file))
    .map(([file, text]): [string, string] => [
      /^(?:gitignore|mcp\.json)$/.test(file) ? `.${file}` : file,
      text,
    ])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const without = (files: [string, string][], ...names: string[]) =>
  files.filter(([file]) => !names.includes(file))

describe('init', () => {
  it('lists all templates in its help', async () => {
    const { stdout } = await init(['--help'])
    expect(stdout).toContain('Examples:')
    expect(TEMPLATES.length).toBeGreaterThanOrEqual(3)
    for (const name of TEMPLATES) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
  })

  it('creates a project from the basic template and prints the next steps', async () => {
    const { exitCode, stdout } = await init(['My Shop.2', '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /Next:\n {2}cd ['"]My Shop\.2['"]\n {2}npm install\n {2}npm run dev\n.*README\.md.*$/,
    )
    const made = filesBelow(place.path('My Shop.2'))
    expect(without(made, 'package.json', TARBALL)).toEqual(without(templateFiles('basic'), 'package.json'))
    expect(JSON.parse(place.read('My Shop.2/package.json'))).toMatchObject({
      name: 'my-shop.2',
      dependencies: { agentserver: `file:./${TARBALL}` },
    })
  })

  it('puts the packed clone that it runs from into the project, which can be moved', async () => {
    const { stdout } = await cli.run(['init', 'shop', '--no-install'], inPlace())
    expect(stdout).toContain(`The project depends on ${TARBALL}, which is in its directory`)
    const { dependencies } = JSON.parse(place.read('shop/package.json'))
    expect(dependencies.agentserver).toBe(`file:./${TARBALL}`)
    const { stdout: list } = await execa('tar', ['-tzf', place.path(`shop/${TARBALL}`)])
    expect(list.split('\n')).toEqual(
      expect.arrayContaining(['package/dist/cli/main.js', 'package/bin/agentserver.js']),
    )
  })

  it('depends on the version or the file of --agentserver', async () => {
    await cli.run(['init', 'shop', '--no-install', '--agentserver', '^0.1.0'], inPlace())
    expect(JSON.parse(place.read('shop/package.json')).dependencies.agentserver).toBe('^0.1.0')
    const { exitCode, stderr } = await cli.run(
      ['init', 'other', '--no-install', '--agentserver', 'gone.tgz'],
      inPlace(),
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('gone.tgz') })
    expect(fs.existsSync(place.path('other'))).toBe(false)
  })

  it.each(TEMPLATES)('has tsconfig.json and .gitignore in the template %s', (name) => {
    expect(templateFiles(name).map(([file]) => file)).toEqual(
      expect.arrayContaining(['.gitignore', 'tsconfig.json']),
    )
  })

  it('creates a Git repository with --git or --yes, not below another one and not with --no-git', async () => {
    const { stdout } = await init(['shop', '--no-install', '--yes'])
    expect(stdout).toContain('Created a Git repository')
    expect(fs.existsSync(place.path('shop/.git/HEAD'))).toBe(true)
    await Promise.all([
      init(['shop/apps/inner', '--no-install', '--git']),
      init(['plain', '--no-install']),
      init(['none', '--no-install', '--yes', '--no-git']),
    ])
    expect(fs.existsSync(place.path('none/package.json'))).toBe(true)
    const repositories = ['shop/apps/inner', 'plain', 'none'].filter((name) =>
      fs.existsSync(place.path(`${name}/.git`)),
    )
    expect(repositories).toEqual([])
  })

  it('saves a model key in .env and adds the package of its provider', async () => {
    await init(['openai', '--no-install', '--model-key', 'sk-proj-1'])
    await init(['google', '--no-install', '--model-key', 'GOOGLE_GENERATIVE_AI_API_KEY=x-1'])
    expect(place.read('openai/.env')).toBe('OPENAI_API_KEY=sk-proj-1\n')
    expect(place.read('google/.env')).toBe('GOOGLE_GENERATIVE_AI_API_KEY=x-1\n')
    const { dependencies } = JSON.parse(place.read('google/package.json'))
    expect(dependencies['@ai-sdk/google']).toBe('^3')
    const secret = 'nobody-knows-this'
    const refused = await init(['other', '--no-install', '--model-key', secret])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('OPENAI_API_KEY') })
    expect(refused.stderr + refused.stdout).not.toContain(secret)
    expect(fs.existsSync(place.path('other'))).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'makes the secrets that a template needs, for the owner only',
    async () => {
      const { stdout } = await init(['shop', '--template', 'auth', '--no-install'])
      expect(stdout).toContain('Created random values in .env: JWT_SECRET, SERVICE_CONSOLE_ACCESS_KEY')
      const env = place.read('shop/.env')
      expect(env).toMatch(/^JWT_SECRET=[0-9a-f]{64}\nSERVICE_CONSOLE_ACCESS_KEY=[0-9a-f]{64}\n$/)
      expect(fs.statSync(place.path('shop/.env')).mode & 0o777).toBe(0o600)
      await init(['shop', '--template', 'auth', '--no-install', '--force'])
      expect(place.read('shop/.env')).toBe(env)
    },
  )

  it('works in the current directory and with --json', async () => {
    const { exitCode, value } = await cli.json(
      ['init', ...withTarball(['--template', 'approval', '--no-install'])],
      inPlace(),
    )
    expect(exitCode).toBe(0)
    expect(value).toMatchObject({
      directory: place.root,
      template: 'approval',
      packageName: JSON.parse(place.read('package.json')).name,
      packageManager: 'npm',
      overwritten: [],
      installed: false,
    })
    expect(value.files.toSorted()).toEqual(
      [...templateFiles('approval').map(([name]) => name), TARBALL].toSorted(),
    )
    expect(value.dependencies).toContain('agentserver')
  })

  it('rejects an unknown template, suggests the closest one and writes nothing', async () => {
    expect(await init(['shop', '--template', 'aproval'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean "approval"?'),
    })
    const others = ['nope', '', '../templates/basic'].map((name) => init(['shop', '--template', name]))
    for (const ended of await Promise.all(others))
      expect(ended).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('Available templates: basic, '),
      })
    expect(fs.readdirSync(place.root)).toEqual([])
  })

  it('rejects an invalid directory and writes nothing', async () => {
    place.write({ file: 'a file', 'shop/src': 'another' })
    const before = filesBelow(place.root)
    const directories = ['file', 'file/below', 'shop', '']
    const ended = await Promise.all(directories.map((name) => init([name, '--force', '--no-install'])))
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2])
    expect(filesBelow(place.root)).toEqual(before)
  })
})

describe('a directory that is not empty', () => {
  it('is refused, and nothing is written', async () => {
    place.write({ 'shop/notes.txt': 'mine', 'shop/src/a.ts': 'mine' })
    const before = filesBelow(place.root)
    expect(await init(['shop', '--no-install'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/shop is not empty: notes\.txt, src\n.*--force/),
    })
    expect(filesBelow(place.root)).toEqual(before)
  })

  it('is accepted with what other tools write before there is a project', async () => {
    place.write({ '.git/HEAD': '', '.vscode/settings.json': '{}', LICENSE: 'mine' })
    expect(await init(['.', '--no-install'])).toMatchObject({ exitCode: 0 })
  })
})

describe('existing files of a project', () => {
  it('are listed and not overwritten, and nothing is written', async () => {
    place.write({
      'package.json': '{}',
      'agentserver.config.ts': 'mine',
      'src/workflows/order.ts': 'mine',
      'notes.txt': 'mine',
    })
    const before = filesBelow(place.root)
    const { exitCode, stderr, stdout } = await init(['.', '--no-install'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('agentserver.config.ts, src/workflows/order.ts')
    expect(stderr).not.toContain('notes.txt')
    expect(stderr).toContain('--force')
    expect(stdout).toBe('')
    expect(filesBelow(place.root)).toEqual(before)
  })

  it('are overwritten with --force', async () => {
    place.write({ 'agentserver.config.ts': 'mine', 'notes.txt': 'mine' })
    const { value } = await cli.json(['init', ...withTarball(['--force', '--no-install'])], inPlace())
    expect(value.overwritten).toEqual(['agentserver.config.ts'])
    const made = without(filesBelow(place.root), 'package.json', 'notes.txt', TARBALL)
    expect(made).toEqual(without(templateFiles('basic'), 'package.json'))
    expect(place.read('notes.txt')).toBe('mine')
  })

  it('with the same content are accepted: a second init changes nothing', async () => {
    await init(['.', '--no-install'])
    const before = filesBelow(place.root)
    const { exitCode, value } = await cli.json(['init', ...withTarball(['--no-install'])], inPlace())
    expect({ exitCode, files: value.files }).toEqual({ exitCode: 0, files: [] })
    expect(filesBelow(place.root)).toEqual(before)
  })
})

/** Runs a command in a terminal, and types an answer when the screen shows a question, one after the other. */
async function inTerminal(args: readonly string[], answers: readonly (readonly [string, string])[]) {
  const program = [process.execPath, path.join(REPOSITORY, 'bin/agentserver.js'), ...args].join(' ')
  // without a size, the choices of a question are hidden
  const command = `stty rows 40 cols 120; ${program}`
  const options = {
    cwd: place.root,
    reject: false,
    all: true,
    env: { npm_config_user_agent: '' },
    timeout: 60_000,
  } as const
  const terminal = execa('script', ['--quiet', '--return', '--command', command, '/dev/null'], options)
  const rest = [...answers]
  let screen = ''
  terminal.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    const [question, answer] = rest[0] ?? []
    if (question === undefined || !screen.includes(question)) return
    rest.shift()
    screen = ''
    terminal.stdin.write(answer ?? '')
  })
  const { exitCode, all } = await terminal
  return { exitCode, unasked: rest.map(([question]) => question), screen: String(all) }
}
const DOWN = '\u001B[B'

describe.runIf(HAS_SCRIPT)('init in a terminal', () => {
  const tarball = () => ['--agentserver', packed.path(TARBALL)]

  it('asks for name, template, package manager, model key and Git, and does as answered', async () => {
    place.write({ 'full/notes.txt': '' })
    const { exitCode, unasked, screen } = await inTerminal(
      ['init', '--no-install', ...tarball()],
      [
        ['Name of the project', 'full\r'],
        // the question stays until the answer is valid; the text is edited
        ['is not empty', '\u007F\u007F\u007F\u007Fshop\r'],
        ['Template', `${DOWN}${DOWN}\r`],
        ['Package manager', '\r'],
        ['Key of OpenAI', 'sk-secret-1\r'],
        ['Git repository', '\r'],
      ],
    )
    expect({ exitCode, unasked }).toEqual({ exitCode: 0, unasked: [] })
    expect(screen).not.toContain('sk-secret-1')
    expect(screen).toContain('from the template "approval"')
    expect(place.read('shop/.env')).toBe('OPENAI_API_KEY=sk-secret-1\n')
    expect(fs.existsSync(place.path('shop/.git'))).toBe(true)
  })

  it('asks nothing with --yes', async () => {
    const { exitCode, screen } = await inTerminal(['init', 'shop', '--yes', '--no-install', ...tarball()], [])
    expect(exitCode).toBe(0)
    expect(screen).not.toContain('Template')
    expect(screen).toContain('from the template "basic"')
  })

  it('writes nothing when a question is left with Ctrl-C', async () => {
    const { exitCode } = await inTerminal(['init', 'shop', ...tarball()], [['Template', '\u0003']])
    expect(exitCode).toBe(130)
    expect(filesBelow(place.root)).toEqual([])
  })

  const existing = { 'agentserver.config.ts': 'mine', 'package.json': '{}' }
  const overwriting = (answer: string) =>
    inTerminal(
      ['init', '.', '--no-install', '--template', 'basic', ...tarball()],
      [
        ['Key of OpenAI', '\r'],
        ['Overwrite agentserver.config.ts?', answer],
      ],
    )

  it('prompts before overwriting files of a project', async () => {
    place.write(existing)
    expect(await overwriting('y')).toMatchObject({ exitCode: 0, unasked: [] })
    expect(place.read('agentserver.config.ts')).toContain('defineConfig')
  })

  it.each([
    ['Enter', '\r', 2],
    ['Ctrl-C', '\u0003', 130],
  ])('takes %s for a no, and writes nothing', async (_, answer, exitCode) => {
    place.write(existing)
    expect(await overwriting(answer)).toMatchObject({ exitCode, unasked: [] })
    expect(filesBelow(place.root)).toEqual(Object.entries(existing))
  })
})

describe('an existing project', () => {
  const packageJson = {
    name: 'shop',
    version: '3.0.0',
    scripts: { dev: 'vite' },
    dependencies: { zod: '^4.0.0' },
  }

  it('gets missing dependencies and keeps its package.json, README and tsconfig otherwise', async () => {
    place.write({
      'package.json': JSON.stringify(packageJson, null, 4),
      'README.md': '# Shop',
      'tsconfig.json': '{}',
      '.gitignore': 'dist',
    })
    const { exitCode, stdout } = await init(['.', '--no-install'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Kept existing files: README.md, .gitignore, tsconfig.json')
    const next = stdout.slice(stdout.indexOf('Next:'))
    expect(next).toContain('Add .agentserver/ and .env to .gitignore')
    expect(next).toMatch(
      /Add "allowImportingTsExtensions": true to the compilerOptions .*; it was not changed/,
    )
    expect(stdout).toContain('npx agentserver dev')
    const { devDependencies, ...merged } = JSON.parse(place.read('package.json'))
    expect(merged).toEqual({
      ...packageJson,
      dependencies: { agentserver: `file:./${TARBALL}`, ai: expect.any(String), zod: '^4.0.0' },
    })
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'typescript', 'vitest'])
    expect(place.read('package.json')).toContain('\n    "version"')
    expect(place.read('README.md')).toBe('# Shop')
    expect(place.read('agentserver.config.ts')).toContain('defineConfig')
  })

  it('is not changed if its zod is older than 3.25', async () => {
    place.write({
      'package.json': '{"dependencies":{"zod":"^3.22.0"}}',
      'node_modules/zod/package.json': '{"name":"zod","version":"3.22.4"}',
    })
    const before = filesBelow(place.root)
    expect(await init(['.', '--no-install'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/has zod 3\.22\.4; templates require zod 3\.25 or 4\n.*Update zod first/),
    })
    expect(filesBelow(place.root)).toEqual(before)
  })

  it('is not changed if its package.json is invalid', async () => {
    place.write({ 'package.json': '{"name": ' })
    expect(await init(['.', '--no-install'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('package.json is not valid JSON'),
    })
    expect(filesBelow(place.root)).toEqual([['package.json', '{"name": ']])
  })
})

describe.skipIf(process.platform === 'win32')('the dependencies', () => {
  /** A package manager that records its arguments and working directory. */
  const fake = (lines = '') =>
    `#!/bin/sh\necho "$(basename "$0") $* in $(basename "$PWD")" >> "$NOTES"\n${lines}\n`
  let tools: TempProject

  beforeAll(() => {
    tools = new TempProject({ npm: fake(), pnpm: fake(), yarn: fake(), bun: fake() })
    tools.write({ 'offline/npm': fake('echo "npm error code ENOTFOUND" >&2; exit 1') })
    tools.write({ 'broken/npm': fake('echo "npm error code E404" >&2; exit 1') })
    for (const [name] of filesBelow(tools.root)) fs.chmodSync(tools.path(name), 0o755)
  })
  afterAll(() => tools.remove())

  const withTools = (folder: string, env: Record<string, string> = {}) => ({
    PATH: `${tools.path(folder)}${path.delimiter}/usr/bin${path.delimiter}/bin`,
    NOTES: place.path('notes'),
    ...env,
  })
  const notes = () => place.read('notes').trim().split('\n')

  it('are installed in the project, with npm by default', async () => {
    const { exitCode, stdout, stderr } = await init(['my shop; ls'], withTools('.'))
    expect({ exitCode, notes: notes() }).toEqual({
      exitCode: 0,
      notes: ['npm install --no-audit --no-fund in my shop; ls'],
    })
    expect(stderr).toContain('Installing dependencies with npm')
    expect(stdout).not.toContain('npm install')
    expect(stdout).toMatch(/Next:\n {2}cd 'my shop; ls'\n {2}npm run dev\n/)
  })

  it('are installed with the package manager of the workspace, else with the one that runs init', async () => {
    place.write({ 'shops/pnpm-workspace.yaml': 'packages: [apps/*]', 'shops/pnpm-lock.yaml': '' })
    const agent = { npm_config_user_agent: 'bun/1.2.0 npm/? node/v22.0.0 linux x64' }
    const [inWorkspace, alone] = await Promise.all([
      init(['shops/apps/one'], withTools('.', agent)),
      init(['alone'], withTools('.', agent)),
    ])
    expect([inWorkspace.exitCode, alone.exitCode]).toEqual([0, 0])
    expect(notes().toSorted()).toEqual(['bun install in alone', 'pnpm install in one'])
    expect(inWorkspace.stdout).toContain('pnpm run dev')
  })

  it('are not installed with --no-install', async () => {
    await init(['shop', '--no-install'], withTools('.'))
    expect(fs.existsSync(place.path('notes'))).toBe(false)
  })

  it('can be installed later if the registry is unreachable: the files stay', async () => {
    const { exitCode, stderr } = await init(['shop'], withTools('offline'))
    expect(exitCode).toBe(4)
    expect(stderr).toContain('The project files were created')
    expect(stderr).toContain('To continue, run: cd shop && npm install')
    expect(filesBelow(place.path('shop')).map(([name]) => name)).toEqual(
      [...templateFiles('basic').map(([name]) => name), TARBALL].toSorted(),
    )
  })

  it('can be installed later after another failure', async () => {
    const { exitCode, stderr, stdout } = await init(['shop', '--json'], withTools('broken'))
    expect(JSON.parse(stdout)).toEqual({ success: false, error: expect.stringContaining('E404') })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('npm failed to install the dependencies (E404)')
    expect(stderr).toContain('To continue, run: cd shop && npm install')
  })
})

describe.each(TEMPLATES)('the template %s', (name) => {
  /**
   * Creates a project with links to the packages that its package.json names. `linked` is the package that is linked
   * as zod.
   */
  async function createShop(linked = 'zod'): Promise<void> {
    await init(['shop', '--template', name, '--no-install'])
    const modules = place.path('shop/node_modules')
    fs.mkdirSync(modules)
    const { dependencies, devDependencies } = JSON.parse(place.read('shop/package.json'))
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
      const target =
        dependency === 'agentserver' ? '.' : `node_modules/${dependency === 'zod' ? linked : dependency}`
      fs.mkdirSync(path.dirname(path.join(modules, dependency)), { recursive: true })
      fs.symlinkSync(path.join(REPOSITORY, target), path.join(modules, dependency), 'junction')
    }
  }

  async function typeErrors(): Promise<string> {
    const tsc = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc')
    const { stdout } = await execa(process.execPath, [tsc], { cwd: place.path('shop'), reject: false })
    return String(stdout)
  }

  it('has no error that doctor finds, without a step between init and dev', async () => {
    await createShop()
    const { value } = await cli.json(['doctor'], { ...inPlace(), cwd: place.path('shop') })
    const errors = value.checks.filter(({ status }: { status: string }) => status === 'error')
    expect(errors).toEqual([])
  })

  it('type-checks after copying', async () => {
    await createShop()
    expect(await typeErrors()).toBe('')
  })

  it.each(['^3.25.0', '*', 'catalog:'])(
    'runs and type-checks beside zod 3.25, declared as %s',
    async (range) => {
      place.write({ 'shop/package.json': JSON.stringify({ type: 'module', dependencies: { zod: range } }) })
      await createShop('zod3')
      const { value } = await cli.json(['doctor'], { ...inPlace(), cwd: place.path('shop') })
      expect(value.checks).toContainEqual(expect.objectContaining({ id: 'config', status: 'ok' }))
      expect(await typeErrors()).toBe('')
    },
  )

  it('is listed in the command line reference', () => {
    expect(fs.readFileSync(path.join(REPOSITORY, 'docs/reference/cli.md'), 'utf8')).toContain(
      `| [\`${name}\`](../../templates/${name}) |`,
    )
  })

  it('requires the versions that the tests run with', () => {
    const ours = JSON.parse(fs.readFileSync(path.join(REPOSITORY, 'package.json'), 'utf8'))
    const { devDependencies: dev, optionalDependencies: optional } = ours
    const { agentserver: _, ...tested } = { ...dev, ...optional, ...ours.dependencies, agentserver: '' }
    const file = path.join(REPOSITORY, 'templates', name, 'package.json')
    const { dependencies, devDependencies, engines } = JSON.parse(fs.readFileSync(file, 'utf8'))
    const { agentserver, ...wanted } = { ...dependencies, ...devDependencies }
    expect(agentserver).toBe(`^${VERSION}`)
    expect(tested).toMatchObject(wanted)
    expect(engines).toEqual(ours.engines)
  })
})
