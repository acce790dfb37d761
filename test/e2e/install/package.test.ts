import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { execa } from 'execa'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/lib/packages/own-package.ts'
import {
  REPOSITORY,
  installPackedPackage,
  linkPackages,
  readManifest,
} from '../../support/project/packed-package.ts'
import { TempProject } from '../../support/project/temp-project.ts'

/** Packages whose code is in a bundle because its sources import them. */
const BUNDLED = {
  console: [
    '@codemirror/view',
    '@tanstack/react-query',
    '@xyflow/react',
    'react',
    'react-dom',
    'tailwindcss',
  ],
  node: ['@a2a-js/sdk', '@modelcontextprotocol/client', '@opentelemetry/core', 'pg-boss'],
}

const project = new TempProject()
let home: string
let tarball: string

beforeAll(async () => {
  home = await installPackedPackage(project.root)
  tarball = project.path(`agentserver-${VERSION}.tgz`)
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
    expect(texts.length).toBeGreaterThan(100)
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([])
    expect(texts.filter((name) => /[#@] sourceMappingURL=/.test(read(name)))).toEqual([])
  })

  it.each([
    ['the console', 'dist/console/licenses.md', BUNDLED.console],
    ['the code for Node', 'dist/licenses.md', BUNDLED.node],
  ])('has the licence of every package that is bundled into %s', (_, file, bundled) => {
    const [, ...sections] = read(file).split(/^## (?=\S+ - \d)/m)
    const names = sections.map((section) => section.slice(0, section.indexOf(' - ')))
    expect(names).toEqual(expect.arrayContaining(bundled))
    expect(sections.filter((section) => !/copyright/i.test(section))).toEqual([])
  })

  it('has at most 900 files and 2.8 MB, and its code needs no package that is not installed with it', () => {
    const { dependencies, peerDependencies, optionalDependencies } = readManifest(home)
    const installed = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
    const files = fs.readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(files.length).toBeLessThan(900)
    expect(fs.statSync(tarball).size).toBeLessThan(2_800_000)
    const code = files.filter((name) => /^dist\/(?!console|ui).*\.(js|d\.ts)$/.test(name))
    const imported = code.flatMap((name) =>
      [...read(name).matchAll(/^(?:import|export) .*?from "([^".][^"]*)";$|^import "([^".][^"]*)";$/gm)].map(
        ([, from, only]) => packageOf(from ?? only ?? ''),
      ),
    )
    expect(imported).toEqual(expect.arrayContaining(['zod', 'hono', 'commander']))
    expect(imported.filter((name) => !isBuiltin(name) && !installed.includes(name))).toEqual([])
  })

  it('has the licence files of Swagger UI', () => {
    expect(read('dist/ui/LICENSE')).toContain('Apache License')
    expect(read('dist/ui/NOTICE')).toContain('SmartBear')
    const script = brotliDecompressSync(fs.readFileSync(path.join(home, 'dist/ui/swagger-ui-bundle.js.br')))
    expect(script.toString()).toContain('swagger-ui-bundle.js.LICENSE.txt')
    expect(read('dist/ui/swagger-ui-bundle.js.LICENSE.txt')).toContain('MIT')
  })
})

describe('the module agentserver', () => {
  it('imports no package with native code, also with import(), so that bundlers can follow it', async () => {
    const { output } = (await build({
      root: home,
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: 'dist/index.js',
        write: false,
        rolldownOptions: { external: (id) => !id.startsWith('.') && !path.isAbsolute(id) },
      },
    })) as Rolldown.RolldownOutput
    const imported = output.flatMap((file) =>
      file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
    )
    const packages = imported.filter(
      (name) => !isBuiltin(name) && !output.some(({ fileName }) => fileName === name),
    )
    expect(packages).toEqual(expect.arrayContaining(['zod', 'jose']))
    expect(nativePackages(packages.map((name) => packageOf(name)))).toEqual([])
    // those that the server needs are found
    expect(nativePackages(['libsql', 'oxc-resolver'])).toEqual(
      expect.arrayContaining(['libsql', 'oxc-resolver']),
    )
  })
})

/** Those of some packages, and of the packages that they depend on, that bring code for one platform. */
function nativePackages(names: readonly string[]): string[] {
  const seen = new Set<string>(names)
  const native: string[] = []
  for (const name of seen) {
    const directory = path.join(REPOSITORY, 'node_modules', name)
    if (!fs.existsSync(directory)) continue
    const { dependencies, optionalDependencies, ...rest } = readManifest(directory)
    if ('napi' in rest || 'neon' in rest || 'cpu' in rest || 'gypfile' in rest) native.push(name)
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) seen.add(other)
  }
  return native
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

describe('a project that is compiled to CommonJS', () => {
  it('is loaded by the command and by createServer()', async () => {
    const directory = project.path('commonjs')
    project.write({
      'commonjs/package.json': '{ "name": "commonjs" }',
      'commonjs/tsconfig.json': JSON.stringify({
        compilerOptions: {
          module: 'node20',
          target: 'es2023',
          strict: true,
          outDir: 'out',
          skipLibCheck: true,
          types: [],
        },
        files: ['agentserver.config.ts'],
      }),
      'commonjs/agentserver.config.ts': `
        import { defineConfig } from 'agentserver'
        import { order } from './order'
        export default defineConfig({ workflows: [order], database: ':memory:' })
      `,
      'commonjs/order.ts': `
        import { createWorkflow } from 'agentserver'
        export const order = createWorkflow({ id: 'order', name: 'Order' }).andThen({ id: 'ship', execute: () => 1 })
      `,
      'commonjs/module.mjs': `export { default } from './out/agentserver.config.js'`,
      'commonjs/serve.cjs': `
        const { createServer } = require('agentserver/server')
        async function list(config) {
          const server = createServer(config)
          const response = await server.fetch(new Request('http://localhost/workflows'))
          console.log((await response.json()).data[0].id)
          await server.close()
        }
        list(require('./out/agentserver.config.js')).then(() => list(require('./module.mjs')))
      `,
    })
    const run = (...args: string[]) => execa(process.execPath, args, { cwd: directory, all: true })
    await run(path.join(REPOSITORY, 'node_modules/typescript/bin/tsc'))
    const config = path.join(directory, 'out/agentserver.config.js')
    expect(fs.readFileSync(config, 'utf8')).toContain('exports.default = ')
    expect((await run('serve.cjs')).stdout).toBe('order\norder')
    const list = () => run(path.join(home, 'bin/agentserver.js'), 'list', '--config', 'out', '--json')
    expect(JSON.parse((await list()).stdout)).toMatchObject([{ id: 'order' }])
    fs.renameSync(config, config.replace(/js$/, 'cjs'))
    expect(JSON.parse((await list()).stdout)).toMatchObject([{ id: 'order' }])
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
    // beside the package, where a project has them
    linkPackages(project.root, ['@types/react'])
    // the declarations of `@ai-sdk/anthropic` need those of the DOM
    const checked = await typeCheck(copyExample('docs'), '--lib', 'es2023,dom')
    expect(checked).toMatchObject({ all: '', exitCode: 0 })
  })
})

/** Makes the code of the documentation a project, with the settings of a template and the packages of the repository. */
function writeProjectFiles(directory: string): void {
  const { dependencies, devDependencies } = readManifest(REPOSITORY)
  const settings = fs.readFileSync(path.join(REPOSITORY, 'templates/basic/tsconfig.json'), 'utf8')
  const { compilerOptions } = JSON.parse(settings) as { compilerOptions: object }
  const files = {
    'package.json': { type: 'module', dependencies, devDependencies },
    'tsconfig.json': { compilerOptions: { ...compilerOptions, jsx: 'react-jsx' }, include: ['.'] },
  }
  for (const [name, value] of Object.entries(files))
    fs.writeFileSync(path.join(directory, name), JSON.stringify(value))
}
