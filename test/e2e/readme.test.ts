import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { REPOSITORY } from '../support/project/packed-package.ts'
import { until } from '../support/until.ts'

const HAS_TOOLS = process.platform !== 'win32' && spawnSync('curl', ['--version']).status === 0
/** The port in the README's commands. */
const PORT = '3142'

/** The directory of the README's commands. */
const DIRECTORY = 'examples/docs/front'

const readme = fs.readFileSync(path.join(REPOSITORY, 'README.md'), 'utf8')
const section = readme.slice(readme.indexOf('Then serve the example'), readme.indexOf('## Documentation'))
const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)

describe.runIf(HAS_TOOLS)("the README's tour, while the demo runs", () => {
  let clone: CliProject
  let port: number

  /** Runs shell commands of the README, in a directory of the clone. */
  const shell = (commands: string, directory: string) =>
    execa(
      'sh',
      ['-c', commands.replaceAll(PORT, String(port)).replaceAll('npx agentserver', 'agentserver')],
      {
        cwd: clone.path(directory),
        env: {
          PATH: `${clone.path('bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
          NODE_ENV: undefined,
          PORT: undefined,
          OPENAI_API_KEY: undefined,
        },
        reject: false,
      },
    )

  beforeAll(async () => {
    clone = new CliProject()
    clone.delete('agentserver.config.ts')
    for (const folder of ['templates/basic', 'examples/docs'])
      fs.cpSync(path.join(REPOSITORY, folder), clone.path(folder), {
        recursive: true,
        filter: (file) => path.basename(file) !== '.agentserver',
      })
    const command = path.join(REPOSITORY, 'bin/agentserver.js')
    clone.write({ 'bin/agentserver': `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n` })
    fs.chmodSync(clone.path('bin/agentserver'), 0o755)
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => probe.once('listening', resolve))
    port = (probe.address() as AddressInfo).port
    await new Promise((resolve) => probe.close(resolve))
  })
  afterAll(() => clone.end())

  test('starts, suspends, resumes and responds to curl', async () => {
    await clone.serve('dev', { args: ['--config', 'templates/basic', '--port', '0'] })
    const [serve = '', use = ''] = blocks
    const server = shell(serve.replace('cd examples/docs/front', 'exec 2>&1'), DIRECTORY)
    try {
      let output = ''
      server.stdout.on('data', (text: Buffer) => (output += text.toString()))
      await until(
        () => output.includes(`http://127.0.0.1:${port}/`),
        () => `the server in: ${output}`,
      )
      const commands = use.split('\n').filter((line) => line !== '')
      expect(commands).toHaveLength(4)
      const ended = []
      for (const command of commands) ended.push(await shell(command, DIRECTORY))
      expect(ended.map(({ exitCode, stderr }) => [exitCode, exitCode === 0 ? '' : stderr])).toEqual([
        [3, expect.stringContaining('refund is suspended')],
        ...Array.from({ length: 3 }, () => [0, '']),
      ])
      const [, resumed, list, execution] = ended.map(({ stdout }) => stdout)
      expect(JSON.parse(resumed ?? '')).toEqual(expect.stringContaining('demo model'))
      expect(list).toMatch(/refund-1 +refund +completed/)
      expect(JSON.parse(execution ?? '')).toMatchObject({
        success: true,
        data: { status: 'completed' },
      })
    } finally {
      const file = clone.path(`${DIRECTORY}/.agentserver/server.json`)
      if (fs.existsSync(file))
        process.kill((JSON.parse(fs.readFileSync(file, 'utf8')) as { pid: number }).pid)
      server.kill()
      await server
    }
  })
})
