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

/** One installation for all recipes: what the repository has is linked. */
beforeAll(async () => {
  await installPackedPackage(project.root)
  linkPackages(project.root, ['vite'])
  fs.cpSync(RECIPES, project.path('app'), { recursive: true })
  project.write({ 'app/package.json': '{ "type": "module" }' })
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'express@5', 'fastify@5']
  await execa('npm', args, { cwd: project.path('app') })
}, 120_000)
afterAll(() => project.remove())

const NODE = ['server.js']
const VITE = (port: number) => [
  '../../node_modules/vite/bin/vite.js',
  '--host',
  '127.0.0.1',
  '--port',
  `${port}`,
]

test.each([
  ['express', () => NODE],
  ['fastify', () => NODE],
  ['hono', () => NODE],
  ['vite', VITE],
])(
  'the recipe for %s serves pages, workflows, the console and WebSockets',
  async (name, command) => {
    const port = await freePort()
    const directory = project.path(`app/${name}`)
    const running = execa(process.execPath, command(port), {
      cwd: directory,
      env: { PORT: String(port) },
      reject: false,
    })
    const url = `http://127.0.0.1:${port}`
    const page = async () => (await fetch(url).catch(() => undefined))?.text()
    await until(async () => (await page())?.includes('My app') === true, `${name} to serve its page`)
    const response = await fetch(`${url}/agents/workflows/greet/execute`, {
      method: 'POST',
      body: '{"input":{"name":"Ada"}}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ data: { result: { text: 'Hello Ada' } } })
    expect((await fetch(`${url}/agents/console/`)).status).toBe(200)
    const socket = await SocketReader.open(`${url}/agents`)
    socket.socket.close()
    expect(fs.existsSync(path.join(directory, '.agentserver/data.db'))).toBe(true)
    running.kill('SIGTERM')
    await running
  },
  60_000,
)

test('the guide shows the recipes as they are', () => {
  const guide = fs.readFileSync(path.join(REPOSITORY, 'docs/guides/embedding.md'), 'utf8')
  const shown = [...guide.matchAll(/^```js\n\/\/ test\/embedding\/(\S+)\n(.*?)^```$/gms)]
  expect(shown.map(([, file]) => file)).toEqual([
    'express/server.js',
    'fastify/server.js',
    'hono/server.js',
    'vite/vite.config.js',
  ])
  for (const [, file = '', code] of shown)
    expect(fs.readFileSync(path.join(RECIPES, file), 'utf8')).toBe(code)
})
