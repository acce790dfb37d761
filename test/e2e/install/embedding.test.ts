import fs from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SocketReader } from '../../support/clients/socket-reader.ts'
import { freePort } from '../../support/process/free-port.ts'
import { REPOSITORY, installPackedPackage, linkPackages } from '../../support/project/packed-package.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { until } from '../../support/until.ts'

const RECIPES = path.join(REPOSITORY, 'test/embedding')
const project = new TempProject()

const FRAMEWORKS = ['express@5', 'fastify@5', 'next@16', 'react@19', 'react-dom@19', 'rxjs@7']
const NEST = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express'].map((name) => `${name}@12`)

/** One installation for all recipes: what the repository has is linked. */
beforeAll(async () => {
  await installPackedPackage(project.root)
  linkPackages(project.root, ['vite', 'typescript', '@types/node'])
  fs.cpSync(RECIPES, project.path('app'), { recursive: true })
  // Next takes the directory of the lockfile for that of the project
  project.write({ 'app/package.json': '{ "type": "module" }', 'package-lock.json': '{}' })
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--prefer-offline']
  const args = ['install', ...options, ...FRAMEWORKS, ...NEST, 'reflect-metadata@0.2']
  await execa('npm', args, { cwd: project.path('app') })
}, 400_000)
afterAll(() => project.remove())

const NODE = ['server.js']
const VITE = (port: number) => [
  '../../node_modules/vite/bin/vite.js',
  '--host',
  '127.0.0.1',
  '--port',
  `${port}`,
]
const NEXT = '../node_modules/next/dist/bin/next'
const TSC = '../../node_modules/typescript/bin/tsc'

/** Runs a recipe in its directory, and returns its address when it serves its page. */
async function run(name: string, command: (port: number) => string[]) {
  const port = await freePort()
  const running = execa(process.execPath, command(port), {
    cwd: project.path(`app/${name}`),
    env: { PORT: String(port), NEXT_TELEMETRY_DISABLED: '1' },
    reject: false,
  })
  const url = `http://127.0.0.1:${port}`
  const page = async () => (await fetch(url).catch(() => undefined))?.text()
  await until(async () => (await page())?.includes('My app') === true, `${name} to serve its page`)
  const stop = async () => {
    running.kill('SIGTERM')
    await running
  }
  return { url, stop }
}

async function greet(url: string) {
  const response = await fetch(`${url}/agents/workflows/greet/execute`, {
    method: 'POST',
    body: '{"input":{"name":"Ada"}}',
    headers: { 'Content-Type': 'application/json' },
  })
  const { data } = (await response.json()) as { data?: { result?: { text: string } } }
  return data?.result?.text
}

async function executions(url: string): Promise<number> {
  const response = await fetch(`${url}/agents/workflows/executions`)
  return ((await response.json()) as { data: unknown[] }).data.length
}

test.each([
  ['express', () => NODE],
  ['fastify', () => NODE],
  ['hono', () => NODE],
  ['vite', VITE],
  ['nest', () => ['dist/nest/main.js']],
])(
  'the recipe for %s serves pages, workflows, the console and WebSockets',
  async (name, command) => {
    if (name === 'nest') await execa(process.execPath, [TSC], { cwd: project.path('app/nest') })
    const { url, stop } = await run(name, command)
    expect(await greet(url)).toBe('Hello Ada')
    expect((await fetch(`${url}/agents/console/`)).status).toBe(200)
    const socket = await SocketReader.open(`${url}/agents`)
    socket.socket.close()
    expect(fs.existsSync(project.path(`app/${name}/.agentserver/data.db`))).toBe(true)
    await stop()
  },
  60_000,
)

test('the recipe for next serves changed code on the same database, and so does its build', async () => {
  const dev = await run('next', () => [NEXT, 'dev', '-H', '127.0.0.1'])
  expect(await greet(dev.url)).toBe('Hello Ada')
  expect((await fetch(`${dev.url}/agents/console/`)).status).toBe(200)
  const file = project.path('app/agentserver.config.js')
  const code = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, code.replace('Hello', 'Welcome'))
  await until(async () => (await greet(dev.url)) === 'Welcome Ada', 'Next to serve the changed code')
  const recorded = await executions(dev.url)
  expect(recorded).toBeGreaterThan(1)
  await dev.stop()

  fs.writeFileSync(file, code)
  await execa(process.execPath, [NEXT, 'build'], { cwd: project.path('app/next') })
  const built = await run('next', () => [NEXT, 'start', '-H', '127.0.0.1'])
  expect(await greet(built.url)).toBe('Hello Ada')
  expect(await executions(built.url)).toBe(recorded + 1)
  const stream = await fetch(`${built.url}/agents/workflows/greet/stream`, {
    method: 'POST',
    body: '{"input":{"name":"Ada"}}',
    headers: { 'Content-Type': 'application/json' },
  })
  expect(await stream.text()).toContain('workflow-complete')
  await built.stop()
}, 400_000)

test('the guide shows the recipes as they are', () => {
  const guide = fs.readFileSync(path.join(REPOSITORY, 'docs/guides/embedding.md'), 'utf8')
  const shown = [...guide.matchAll(/^```[jt]s title="test\/embedding\/(\S+)"\n(.*?)^```$/gms)]
  expect(shown.map(([, file]) => file)).toEqual([
    'express/server.js',
    'fastify/server.js',
    'hono/server.js',
    'nest/agents.module.ts',
    'next/next.config.js',
    'next/agents.js',
    'next/instrumentation.js',
    'next/app/agents/[[...path]]/route.js',
    'vite/vite.config.js',
  ])
  for (const [, file = '', code] of shown)
    expect(fs.readFileSync(path.join(RECIPES, file), 'utf8')).toBe(code)
})
