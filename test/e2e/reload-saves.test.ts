import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { DevProject, GREETING, greetingOf } from '../support/project/dev-project.ts'

const HAS_GIT = spawnSync('git', ['--version']).status === 0
const MODULES = Array.from({ length: 60 }, (_, index) => `m${index}`)

const numbered = (value: number) =>
  Object.fromEntries(
    MODULES.map((name, index) => [`src/dir${index % 6}/${name}.ts`, `export const ${name} = ${value}\n`]),
  )
const sum = () => {
  const imports = MODULES.map((name, index) => `import { ${name} } from './dir${index % 6}/${name}.ts'`)
  return `${imports.join('\n')}\nexport const sum = ${MODULES.join(' + ')}\n`
}

const FILES = {
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { greeting } from './src/greeting.ts'
    import { sum } from './src/sum.ts'

    export default defineConfig({
      configureApp: (app) => {
        app.get('/greeting', (c) => c.json({ data: greeting }))
        app.get('/sum', (c) => c.json({ data: sum }))
      },
    })
  `,
  'src/greeting.ts': greetingOf('hello'),
  'src/sum.ts': sum(),
  ...numbered(1),
  '.gitignore': 'node_modules\n.agentserver\n',
}

/** The number of inotify watches of the project's server on Linux. */
function watchesOf(project: DevProject): number {
  const { pid } = JSON.parse(project.read('.agentserver/server.json')) as { pid: number }
  const infos = fs.readdirSync(`/proc/${pid}/fdinfo`).map((fd) => `/proc/${pid}/fdinfo/${fd}`)
  return infos.flatMap((file) => fs.readFileSync(file, 'utf8').match(/^inotify wd:/gm) ?? []).length
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a save is served:', () => {
  const project = new DevProject(FILES)
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b.example', '-c', 'core.hooksPath=', ...args],
      {
        cwd: project.root,
        stdio: 'ignore',
      },
    )

  beforeAll(async () => {
    if (HAS_GIT) {
      git('init')
      git('add', '.')
      git('commit', '-m', 'one')
      git('checkout', '-b', 'other')
      project.write(numbered(2))
      git('commit', '-a', '-m', 'two')
      git('checkout', '-')
    }
    await project.start()
  })
  afterAll(() => project.end())

  /** Saves within the time that an editor takes, and again after a stall of the machine. Returns the first outcome. */
  const saved = async (text: string, save: (text: string) => void | Promise<void>) => {
    for (let round = 1; ; round++) {
      const startedAt = performance.now()
      await save(greetingOf(`${text} ${round}`))
      const isFast = performance.now() - startedAt < 40
      const outcome = isFast ? await project.outcome() : ''
      await project.serves('/greeting', `${text} ${round}`)
      if (isFast) return outcome
    }
  }

  it('truncate, then write, without an error in between', async () => {
    const outcome = await saved('written anew', async (text) => {
      project.writeInPlace('src/greeting.ts', '')
      await sleep(15)
      project.writeInPlace('src/greeting.ts', text)
    })
    expect(outcome).toMatch(/^✓ reloaded src\/greeting\.ts →/)
  })

  it('rename over the file', async () => {
    for (const text of ['renamed once', 'renamed twice']) {
      project.write({ 'src/greeting.ts': greetingOf(text) })
      expect(await project.outcome()).toMatch(/^✓ reloaded src\/greeting\.ts →/)
      expect((await project.server.get('/greeting')).data).toBe(text)
    }
  })

  it('move away, write and delete the old file, as vim does', async () => {
    for (const text of ['vim once', 'vim twice']) {
      const outcome = await saved(text, (saved) => {
        project.rename('src/greeting.ts', 'src/greeting.ts~')
        project.writeInPlace('src/greeting.ts', saved)
        project.delete('src/greeting.ts~')
      })
      expect(outcome).toMatch(/^✓ reloaded src\/greeting\.ts →/)
    }
  })

  it('two writes within 20 ms, with the content of the second', async () => {
    for (const round of [1, 2, 3]) {
      project.writeInPlace('src/greeting.ts', greetingOf(`first ${round}`))
      await sleep(20)
      project.writeInPlace('src/greeting.ts', greetingOf(`second ${round}`))
      await project.serves('/greeting', `second ${round}`)
      expect((await project.status()).config).toEqual({ state: 'ok' })
    }
  })

  it.runIf(HAS_GIT)('sixty files by git, not file by file', async () => {
    project.write({ 'src/greeting.ts': greetingOf('before the checkout') })
    await project.serves('/greeting', 'before the checkout')
    git('commit', '-a', '-m', 'edits')
    const before = await project.generation()
    git('checkout', 'other')
    await project.serves('/sum', 120)
    await project.serves('/greeting', 'hello')
    project.write({ 'src/greeting.ts': greetingOf('after the checkout') })
    await project.serves('/greeting', 'after the checkout')
    // git also restores the greeting. It is one reload, unless the machine stalls in the middle of the checkout
    expect(await project.generation()).toBeLessThanOrEqual(before + 5)
  })

  it('remove and restore a directory, with an error in between', async () => {
    const before = (await project.server.get('/greeting')).data
    project.delete('src')
    await project.server.waitForOutput(
      /ResolveError: Cannot find module '\.\/src\/[\s\S]*still serving generation/,
    )
    expect((await project.server.get('/greeting')).data).toBe(before)
    project.write(FILES)
    await until(async () => (await project.status()).config.state !== 'error')
    project.write({ 'src/greeting.ts': greetingOf('back again') })
    await project.serves('/greeting', 'back again')
  })
})

describe('with --poll', () => {
  const events = new DevProject(GREETING)
  const project = new DevProject(GREETING)
  beforeAll(() => Promise.all([project.start({ args: ['--poll', '20'] }), events.start()]))
  afterAll(() => Promise.all([project.end(), events.end()]))

  it.runIf(process.platform === 'linux')('no file watches are used', () => {
    expect(watchesOf(events)).toBeGreaterThan(0)
    expect(watchesOf(project)).toBe(0)
  })

  it('saves are served', async () => {
    project.write({ 'src/greeting.ts': greetingOf('polled') })
    expect(await project.outcome()).toMatch(/^✓ reloaded src\/greeting\.ts →/)
    expect((await project.server.get('/greeting')).data).toBe('polled')
    project.writeInPlace('src/greeting.ts', greetingOf('polled twice'))
    await project.serves('/greeting', 'polled twice')
  })
})
