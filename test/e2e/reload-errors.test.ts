import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DevProject, GREETING, greetingOf } from '../support/project/dev-project.ts'

interface Breakage {
  readonly what: string
  readonly files: Readonly<Record<string, string>>
  readonly name: string
  readonly message: RegExp
  readonly place: { readonly file: string; readonly line: number; readonly column: number }
}

const config = (options: string) =>
  `import { createWorkflow, defineConfig } from 'agentserver'\n\nexport default defineConfig({\n${options}\n})\n`

const BREAKAGES: readonly Breakage[] = [
  {
    what: 'a syntax error',
    files: { 'src/greeting.ts': `const name: string = 'you'\nexport const greeting = = name\n` },
    name: 'SyntaxError',
    message: /Unexpected token/,
    place: { file: 'src/greeting.ts', line: 2, column: 25 },
  },
  {
    what: 'a module that is not there',
    files: { 'src/greeting.ts': `\nexport { greeting } from './nowhere.ts'\n` },
    name: 'ResolveError',
    message: /Cannot find module '\.\/nowhere\.ts' imported from src\/greeting\.ts/,
    place: { file: 'src/greeting.ts', line: 2, column: 26 },
  },
  {
    what: 'an export that is not there',
    files: { 'src/greeting.ts': `export const farewell = 'bye'\n` },
    name: 'SyntaxError',
    message: /'\.\/src\/greeting\.ts' does not provide an export named 'greeting'/,
    place: { file: 'agentserver.config.ts', line: 3, column: 14 },
  },
  {
    what: 'an error that is thrown at load',
    files: {
      'src/greeting.ts': `interface Gone {}\n\nfunction greet(): string {\n  throw new RangeError('no words')\n}\nexport const greeting = greet()\n`,
    },
    name: 'RangeError',
    message: /^no words$/,
    place: { file: 'src/greeting.ts', line: 4, column: 9 },
  },
  {
    what: 'an option of the wrong kind',
    files: {
      'agentserver.config.ts': config('  retention: {\n    executions: { count: 10, days: -1 },\n  },'),
    },
    name: 'ConfigError',
    message: /retention\.executions\.days: Too small: expected number to be >0/,
    place: { file: 'agentserver.config.ts', line: 5, column: 30 },
  },
  {
    what: 'an option that is not there',
    files: { 'agentserver.config.ts': config(`  // prot: a typo\n  prot: 3141,`) },
    name: 'ConfigError',
    message: /unknown option "prot"/,
    place: { file: 'agentserver.config.ts', line: 5, column: 3 },
  },
  {
    what: 'an id that is used twice',
    files: {
      'agentserver.config.ts': config(
        `  port: 0,\n  workflows: [createWorkflow({ id: 'twin' }), createWorkflow({ id: 'twin' })],`,
      ),
    },
    name: 'ConfigError',
    message: /workflow id "twin" is used 2 times/,
    place: { file: 'agentserver.config.ts', line: 5, column: 47 },
  },
  {
    what: 'routes that throw',
    files: {
      'agentserver.config.ts': config(
        `  configureApp: () => {\n    throw new Error('no routes today')\n  },`,
      ),
    },
    name: 'Error',
    message: /^no routes today$/,
    place: { file: 'agentserver.config.ts', line: 5, column: 11 },
  },
]

describe('a save with an error', () => {
  const project = new DevProject(GREETING)
  beforeAll(() => project.start())
  afterAll(() => project.end())

  it.each(BREAKAGES)(
    'for $what prints the position, and the last valid code stays in service',
    async (breakage) => {
      const { files, name, message, place } = breakage
      const before = await project.generation()
      project.write(files)
      const output = await project.outcome()
      expect(output).toContain(`${name}: `)
      expect(output).toContain(`at ${place.file}:${place.line}:${place.column}\n`)
      expect(output).toMatch(new RegExp(String.raw`^> ${place.line} \| .*\n    \| +\^$`, 'm'))
      expect(output).toContain(`still serving generation ${before}\n`)
      expect((await project.server.get('/greeting')).data).toBe('hello')
      const status = await project.status()
      expect(status.generation.number).toBe(before)
      expect(status.config).toMatchObject({ state: 'error', error: { name, ...place } })
      expect(status.config.error.message).toMatch(message)
      expect(status.config.error.frame).toContain(`> ${place.line} | `)

      project.write(Object.fromEntries(Object.entries(GREETING).filter(([name]) => name in files)))
      expect(await project.outcome()).toContain(`generation ${before + 1}\n`)
      expect((await project.status()).config).toEqual({ state: 'ok' })
    },
  )

  it('is reported again when another file is saved, until both are fixed', async () => {
    const before = await project.generation()
    project.write({ 'src/greeting.ts': 'export const greeting = (' })
    await project.outcome()
    project.edit('agentserver.config.ts', "get('/greeting'", "get('/welcome'")
    expect(await project.outcome()).toContain(`still serving generation ${before}\n`)
    project.write({ 'src/greeting.ts': greetingOf('welcome') })
    expect(await project.outcome()).toMatch(/reloaded src\/greeting\.ts, agentserver\.config\.ts →/)
    expect((await project.server.get('/welcome')).data).toBe('welcome')
  })
})

describe('a project that fails to load at first', () => {
  const project = new DevProject({
    ...GREETING,
    'src/greeting.ts': `export { greeting } from './lib/words'\n`,
  })
  beforeAll(() => project.start())
  afterAll(() => project.end())

  it('has a server that is not ready', async () => {
    expect(project.server.stderr).toContain('no configuration is served until this is fixed')
    expect(await textOf('/healthz')).toBe('200 ok')
    expect(await textOf('/readyz')).toMatch(/^503 \{"success":false,/)
    for (const route of ['/workflows', '/observability/status', '/greeting', '/'])
      expect(await textOf(route)).toMatch(
        /^503 \{"success":false,"error":"The configuration has not loaded yet\\nResolveError: .*src\/greeting\.ts:1:26/,
      )
  })

  it('is served when the missing file is created with its directory', async () => {
    project.write({ 'src/lib/words.ts': greetingOf('found') })
    expect(await project.outcome()).toContain('generation 1\n')
    expect(await textOf('/readyz')).toBe('200 ok')
    expect((await project.server.get('/greeting')).data).toBe('found')
    project.write({ 'src/lib/words.ts': greetingOf('and watched') })
    await project.serves('/greeting', 'and watched')
  })

  const textOf = async (route: string) => {
    const response = await fetch(new URL(route, project.server.url))
    return `${response.status} ${await response.text()}`
  }
})
