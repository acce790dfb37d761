import fs from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import type { Options } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunningServer } from '../../support/project/cli-project.ts'
import { installPackedPackage } from '../../support/project/packed-package.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { ConsoleBrowser } from '../../support/browser/console-browser.ts'

/** Restricts a process to connections to this machine, and records other attempts. */
const GUARD = `
  import fs from 'node:fs'
  import net from 'node:net'
  const connect = net.Socket.prototype.connect
  net.Socket.prototype.connect = function (...args) {
    const { host = 'localhost', path } = Array.isArray(args[0]) ? args[0][0] : args[0]
    if (path === undefined && !/^(localhost|127\\.|::1)/.test(host)) {
      fs.appendFileSync(process.env.TRIED, host + '\\n')
      this.destroy(new Error('The network is disabled'))
      return this
    }
    return connect.apply(this, args)
  }
`

const folder = new TempProject({
  'guard.mjs': GUARD,
  'package.json': '{"type":"module"}',
  'agentserver.config.ts': `
    import { createAgent, createWorkflow, defineConfig } from 'agentserver'
    const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.' })
    const hello = createWorkflow({ id: 'hello', name: 'Hello' }).andThen({ id: 'say', execute: () => ({ text: 'hello' }) })
    export default defineConfig({ agents: [helper], workflows: [hello] })
  `,
})
let server: RunningServer
let browser: ConsoleBrowser

beforeAll(async () => {
  const bin = path.join(await installPackedPackage(folder.root), 'bin/agentserver.js')
  const env = { TRIED: folder.path('tried'), NODE_ENV: undefined, PORT: undefined, HOST: undefined }
  const args = ['--import', folder.path('guard.mjs'), bin, 'dev', '--port', '0', '--json']
  const options: Options = { cwd: folder.root, reject: false, stdin: 'ignore', env }
  server = new RunningServer(execa(process.execPath, args, options))
  await server.ready()
  browser = await ConsoleBrowser.launch(server.url)
})
afterAll(async () => {
  await browser.close()
  await server.kill('SIGKILL')
  folder.remove()
})

describe('the packed package, installed without a network', () => {
  it('serves a working console without external requests', async () => {
    const { page, complaints } = await browser.open('')
    await page.getByText('No runs yet').waitFor()
    await server.post('/workflows/hello/execute', { input: {} })
    await expect.poll(() => page.getByRole('region', { name: 'Recent runs' }).innerText()).toContain('hello')
    const { data } = await server.post('/agents/helper/text', { input: 'Hi' })
    expect(data.text).toContain('demo')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('region', { name: 'Storage' }).waitFor()
    expect(complaints).toEqual([])
    expect(fs.existsSync(folder.path('tried')) && folder.read('tried')).toBe(false)
  })
})
