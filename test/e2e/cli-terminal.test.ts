import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../../src/lib/packages/own-package.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { until } from '../support/until.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

const cli = new CliProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { broken, order } from './src/workflows.ts'
    let calls = 0
    const pay = createWorkflow({ id: 'pay' }).andThen({ id: 'charge', retries: 1, execute: () => {
      if (++calls === 1) throw new Error('card declined')
      return {}
    } })
    export default defineConfig({ workflows: [order, broken, pay] })
  `,
})
afterAll(() => cli.end())

describe('dev', () => {
  /** Starts dev as in a shell whose output is a pipe, and returns what it prints. */
  async function serve(...args: string[]) {
    const server = cli.spawn(['dev', '--port', '0', ...args])
    onTestFinished(() => void server.kill('SIGKILL'))
    let text = ''
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await until(
      () => text.includes('OpenAPI'),
      () => `the banner in: ${text}`,
    )
    const stop = async () => {
      server.kill('SIGTERM')
      await server
    }
    return { stop, text: () => text }
  }

  it('prints a line when an execution ends, waits, or repeats a step', async () => {
    const { stop, text } = await serve()
    await cli.run(['run', 'order', '--input', '{"orderId":"A-1"}'])
    await cli.run(['run', 'order', '--input', '{"orderId":"A-1","amount":250}'])
    await cli.run(['run', 'broken'])
    await cli.run(['run', 'pay'])
    await until(
      () => /✓ pay /.test(text()),
      () => `the last run in: ${text()}`,
    )
    const lines = text()
      .split('\n')
      .filter((line) => /^[✓⏸↻✗] (?:order|charge|broken|pay) /.test(line))
      .map((line) => line.replace(/\d+ ms|\d\.\d s/, '1 ms'))
    expect(lines).toEqual([
      '✓ order 1 ms',
      '⏸ order waits at approve: over limit',
      '✗ broken 1 ms: card declined',
      '↻ charge attempt 2: card declined',
      '✓ pay 1 ms',
    ])
    await stop()
  })

  it('prints none of them with --quiet', async () => {
    const { stop, text } = await serve('--quiet')
    await cli.run(['run', 'order', '--input', '{"orderId":"A-1"}'])
    await stop()
    expect(text()).not.toContain('✓ order')
  })
})

describe('the command line', () => {
  it('lists commands in groups, the common ones first, and takes aliases and -v', async () => {
    const { stdout } = await cli.run(['--help'])
    const headings = [...stdout.matchAll(/^(\w[\w ]+):$/gm)].map(([, name]) => name)
    expect(headings).toEqual([
      'Options',
      'Common',
      'Executions',
      'Agents and evals',
      'Project',
      'Data',
      'Commands',
      'Exit codes',
    ])
    expect(stdout).toMatch(/Common:\n {2}dev .*\n[^]*? {2}run-workflow\|run /)
    expect(await cli.run(['-v'])).toMatchObject({ exitCode: 0, stdout: VERSION })
    expect((await cli.run(['resume', '--help'])).stdout).toContain('Usage: agentserver resume-workflow')
    expect((await cli.run(['rnu'])).stderr).toContain('"run"')
  })

  it('prints the command that resumes an execution with data that fits', async () => {
    const { stderr } = await cli.run(['run', 'order', '--input', '{"orderId":"A-1","amount":250}'])
    const [, command = ''] = /(resume-workflow order \S+ --data '.*')/.exec(stderr) ?? []
    const [, id = '', data = ''] = /order (\S+) --data '(.*)'/.exec(command) ?? []
    expect(await cli.run(['resume', 'order', id, '--data', data])).toMatchObject({ exitCode: 0 })
  })

  it.each(['bash', 'zsh', 'fish'])('completes commands, aliases and options in %s', async (shell) => {
    const { exitCode, stdout } = await cli.run(['completion', shell])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('resume-workflow')
    expect(stdout).toContain('accept-changes')
    if (spawnSync(shell, ['--version']).error === undefined)
      execFileSync(shell, shell === 'bash' ? ['-n'] : ['--no-execute'], { input: stdout })
  })

  it('completes in bash', async () => {
    const { stdout } = await cli.run(['completion', 'bash'])
    const completed = (...words: string[]) =>
      execFileSync('bash', ['-s'], {
        encoding: 'utf8',
        input: `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length - 1}\n_agentserver\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
      })
        .trim()
        .split('\n')
    expect(completed('agentserver', 'resu')).toEqual(['resume-workflow', 'resume'])
    expect(completed('agentserver', 'resume', '--acc')).toEqual(['--accept-changes'])
  })

  it('says how to build a clone that is not built', () => {
    const clone = new TempProject({ 'src/cli/main.ts': '', 'package.json': '{ "type": "module" }' })
    const bin = clone.path('bin/agentserver.js')
    fs.mkdirSync(path.dirname(bin))
    fs.copyFileSync(path.join(REPOSITORY, 'bin/agentserver.js'), bin)
    const run = () => spawnSync(process.execPath, [bin, 'dev'], { encoding: 'utf8' })
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci && npm run build') })
    clone.write({ 'node_modules/a': '' })
    expect(run()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/not built yet\. Run: npm run build\n$/),
    })
    clone.remove()
  })
})
