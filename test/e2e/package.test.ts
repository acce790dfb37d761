import fs from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../src/lib/packages/version.ts'
import {
  REPOSITORY,
  installPackedPackage,
  linkPackages,
  readManifest,
} from '../support/project/packed-package.ts'
import { TempProject } from '../support/project/temp-project.ts'

/** Packages whose code is in the console's bundle because its sources import them. */
const BUNDLED = [
  '@codemirror/view',
  '@tanstack/react-query',
  '@xyflow/react',
  'react',
  'react-dom',
  'tailwindcss',
]

const project = new TempProject()
let home: string

beforeAll(async () => {
  home = await installPackedPackage(project.root)
})
afterAll(() => project.remove())

const read = (name: string) => fs.readFileSync(path.join(home, name), 'utf8')

describe('the packed package', () => {
  it('has no script that a package manager runs where the package is installed or linked', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const atInstall = /^(?:pre|post)?(?:install|prepare)$/
    expect(Object.keys(scripts).filter((name) => atInstall.test(name))).toEqual([])
  })

  it('has the texts that the page of a registry shows, and the pages that its README links', () => {
    const { name, description, keywords, license, engines } = JSON.parse(read('package.json'))
    expect({ name, license, engines }).toEqual({
      name: 'agentserver',
      license: 'Apache-2.0',
      engines: { node: expect.any(String) },
    })
    expect(description.length).toBeGreaterThan(40)
    expect(keywords).toEqual(
      expect.arrayContaining(['agents', 'durable-execution', 'mcp', 'typescript', 'workflows']),
    )
    const links = [...read('README.md').matchAll(/\]\((docs\/[^)#]+|[A-Z]+\.md)/g)].map(
      ([, link = '']) => link,
    )
    expect(
      links.filter(
        (link) => !/^(?:ARCHITECTURE|CONTRIBUTING)/.test(link) && !fs.existsSync(path.join(home, link)),
      ),
    ).toEqual([])
    expect(fs.readdirSync(home)).toEqual(expect.arrayContaining(['LICENSE', 'CHANGELOG.md']))
  })

  it('has no source maps, and no links to any', () => {
    const files = fs.readdirSync(home, { recursive: true, encoding: 'utf8' })
    const texts = files.filter((name) => /\.(js|css|d\.ts)$/.test(name))
    expect(texts.length).toBeGreaterThan(500)
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([])
    expect(texts.filter((name) => /[#@] sourceMappingURL=/.test(read(name)))).toEqual([])
  })

  it('has the licence of every package that is bundled into the console', () => {
    const [, ...sections] = read('dist/console/licenses.md').split(/^## (?=\S+ - \d)/m)
    const names = sections.map((section) => section.slice(0, section.indexOf(' - ')))
    expect(names).toEqual(expect.arrayContaining(BUNDLED))
    expect(sections.filter((section) => !/copyright/i.test(section))).toEqual([])
  })

  it('has the licence files of Swagger UI', () => {
    expect(read('dist/ui/LICENSE')).toContain('Apache License')
    expect(read('dist/ui/NOTICE')).toContain('SmartBear')
    expect(read('dist/ui/swagger-ui-bundle.js')).toContain('swagger-ui-bundle.js.LICENSE.txt')
    expect(read('dist/ui/swagger-ui-bundle.js.LICENSE.txt')).toContain('MIT')
  })
})

describe('an example, with the packed package installed', () => {
  /** Copies an example into the project, with links to exactly the packages that its package.json names. */
  function copyExample(name: string): string {
    const directory = project.path(`examples/${name}`)
    fs.cpSync(path.join(REPOSITORY, 'examples', name), directory, {
      recursive: true,
      filter: (file) => !['node_modules', '.agentserver'].includes(path.basename(file)),
    })
    if (name === 'docs') writeProjectFiles(directory)
    const { dependencies, devDependencies } = readManifest(directory)
    const { agentserver: _, ...others } = { ...dependencies, ...devDependencies }
    linkPackages(directory, Object.keys(others))
    fs.symlinkSync(home, path.join(directory, 'node_modules/agentserver'), 'junction')
    return directory
  }
  const runNode = (cwd: string, ...args: string[]) =>
    execa(process.execPath, args, { cwd, reject: false, all: true, env: { NODE_ENV: undefined } })
  const list = (cwd: string) => runNode(cwd, path.join(home, 'bin/agentserver.js'), 'list', '--json')
  /** Checks the project, and the declaration files of all packages that it uses. */
  const typeCheck = (cwd: string, ...options: string[]) =>
    runNode(
      cwd,
      path.join(REPOSITORY, 'node_modules/typescript/bin/tsc'),
      '--skipLibCheck',
      'false',
      ...options,
    )

  it.for(['invoice-approval', 'support-agent'])('%s type-checks and loads', async (name) => {
    const directory = copyExample(name)
    expect(await typeCheck(directory)).toMatchObject({ all: '', exitCode: 0 })
    expect(await list(directory)).toMatchObject({ exitCode: 0 })
  })

  it('chat-frontend type-checks and loads, and its page builds', async () => {
    const directory = copyExample('chat-frontend')
    expect(await typeCheck(directory)).toMatchObject({ all: '', exitCode: 0 })
    // the declarations of `ai` need those of Node
    expect(await typeCheck(path.join(directory, 'web'), '--types', 'vite/client,node')).toMatchObject({
      all: '',
      exitCode: 0,
    })
    expect(await list(directory)).toMatchObject({ exitCode: 0 })
    const vite = path.join(directory, 'node_modules/vite/bin/vite.js')
    expect(await runNode(directory, vite, 'build', '--logLevel', 'warn')).toMatchObject({ exitCode: 0 })
    expect(fs.readdirSync(path.join(directory, 'web/dist'))).toContain('index.html')
  })

  it.for(['chat-frontend', 'invoice-approval', 'support-agent'])(
    '%s names the versions that the tests run with',
    (name) => {
      const { dependencies, devDependencies } = readManifest(path.join(REPOSITORY, 'examples', name))
      const { agentserver, ...others } = { ...dependencies, ...devDependencies }
      const tested = readManifest(REPOSITORY)
      expect({ ...tested.devDependencies, ...tested.dependencies }).toMatchObject(others)
      expect(agentserver).toBe(`^${VERSION}`)
    },
  )

  it('docs type-checks', async () => {
    // the declarations of `@ai-sdk/anthropic` need those of the DOM
    const checked = await typeCheck(copyExample('docs'), '--lib', 'es2023,dom')
    expect(checked).toMatchObject({ all: '', exitCode: 0 })
  })
})

/** Makes the code of the documentation a project, with the settings of a template and the packages of the repository. */
function writeProjectFiles(directory: string): void {
  const { dependencies, devDependencies } = readManifest(REPOSITORY)
  const settings = fs.readFileSync(path.join(REPOSITORY, 'templates/basic/tsconfig.json'), 'utf8')
  const { compilerOptions } = JSON.parse(settings) as { compilerOptions: unknown }
  const files = {
    'package.json': { type: 'module', dependencies, devDependencies },
    'tsconfig.json': { compilerOptions, include: ['.'] },
  }
  for (const [name, value] of Object.entries(files))
    fs.writeFileSync(path.join(directory, name), JSON.stringify(value))
}
