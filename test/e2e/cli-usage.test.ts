import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

describe('the command line', () => {
  let project: CliProject

  beforeAll(() => {
    project = new CliProject()
  })
  afterAll(() => project.end())

  it('has a help with examples for each command', async () => {
    const overview = await project.run(['--help'])
    expect(overview.exitCode).toBe(0)
    const commands = [...overview.stdout.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*)(?:\|[a-z]+)? {2,}/gm)].map(
      ([, name = '']) => name,
    )
    expect(commands).toContain('run-workflow')
    for (const name of commands) {
      const help = await project.run([name, '--help'])
      expect(help.stdout).toMatch(/Examples:\n {2}\$ agentserver /)
      expect(help.stdout).toContain('--no-color')
    }
  })

  it('prints its version', async () => {
    expect(await project.run(['--version'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })

  it('suggests the closest name for an unknown command or option', async () => {
    const command = await project.run(['run-workflw'])
    expect(command).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean "run-workflow"?'),
    })
    const option = await project.run(['run-workflow', 'order', '--inptu', '{}'])
    expect(option).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean "--input"?') })
    expect((await project.run(['run-workflow'])).exitCode).toBe(2)
    expect((await project.run([])).exitCode).toBe(2)
  })

  it.each([
    [['rnu'], 'Did you mean "run"?'],
    [['replay-wokflow'], 'Did you mean "replay-workflow"?'],
    [['list', 'workflow'], 'Did you mean "workflows"?'],
    [['logs', '--level', 'wran'], 'Did you mean "warn"?'],
    [['list', '--stats=x'], 'Did you mean "--status"?'],
    [['run-workflow', 'order', '--exec', 'x'], 'Did you mean "--execution-id"?'],
    [['list', '--config', 'agentserver.confg.ts'], 'agentserver.config.ts"?'],
    [['list', '--cwd', 'scr'], 'src"?'],
    [['run-workflow', 'order', '--input', '@src/workflow.ts'], 'Did you mean "@src/workflows.ts"?'],
    [['check-updates', '--install', 'zdo'], 'Did you mean "zod"?'],
    [['list', 'executions', '--workflow', 'ordr'], 'Did you mean "order"?'],
    [['logs', '--workflow', 'ordr'], 'Did you mean "order"?'],
  ])('suggests the closest name: %j', async (args, suggestion) => {
    project.write({ 'package.json': JSON.stringify({ dependencies: { zod: '^4.0.0' } }) })
    expect((await project.run(args)).stderr).toContain(suggestion)
  })

  it('prints the position of invalid JSON and an example', async () => {
    const wrong = await project.run(['run-workflow', 'order', '--input', '{"orderId":}'])
    expect(wrong.stderr).toContain('--input is not valid JSON: unexpected character } at column 12')
    expect(wrong.stderr).toContain(`--input '{"orderId":"A-1"`)
    expect(wrong.exitCode).toBe(2)
    project.write({ 'bad.json': '{\n  "orderId": "A-1"\n  "amount": 2\n}' })
    const file = await project.run(['run-workflow', 'order', '--input', '@bad.json'])
    expect(file.stderr).toContain('--input (bad.json) is not valid JSON')
    expect(file.stderr).toContain('line 3, column 3')
  })

  it('reads input from a file and from stdin', async () => {
    project.write({ 'input.json': '{"orderId":"from a file"}' })
    const file = await project.json(['run-workflow', 'order', '--input', '@input.json'])
    expect(file.value.result.orderId).toBe('from a file')
    const piped = await project.json(['run-workflow', 'order', '--input', '-'], {
      input: '{"orderId":"from stdin"}',
    })
    expect(piped.value.result.orderId).toBe('from stdin')
    const missing = await project.run(['run-workflow', 'order', '--input', '@none.json'])
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot read none.json') })
  })

  it('exits with 4 if the server is unreachable', async () => {
    const refused = await project.run(['list', '--url', 'http://127.0.0.1:9'])
    expect(refused).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Cannot connect to http://127.0.0.1:9'),
    })
    const wrong = await project.run(['list', '--url', 'somewhere'])
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--url') })
  })

  it('suggests init without a config', async () => {
    const empty = new CliProject()
    empty.delete('agentserver.config.ts')
    try {
      for (const command of ['dev', 'start', 'list']) {
        const { exitCode, stderr } = await empty.run([command])
        expect(stderr).toMatch(/agentserver\.js init`/)
        expect(exitCode).toBe(2)
      }
    } finally {
      await empty.end()
    }
  })

  it('prints a config error without a stack', async () => {
    const broken = new CliProject({ 'src/workflows.ts': 'export const order = nothing.there' })
    try {
      const { exitCode, stderr } = await broken.run(['list'])
      expect(stderr).toContain('ReferenceError: nothing is not defined')
      expect(stderr).toContain('> 1 | export const order = nothing.there')
      expect(stderr).not.toMatch(/^\s+at /m)
      expect(exitCode).toBe(2)
    } finally {
      await broken.end()
    }
  })

  it('prints colours only if enabled', async () => {
    const escape = '\u001b['
    expect((await project.run(['list'])).stdout).not.toContain(escape)
    const forced = { env: { FORCE_COLOR: '1' } }
    expect((await project.run(['list'], forced)).stdout).toContain(escape)
    expect((await project.run(['list', '--no-color'], forced)).stdout).not.toContain(escape)
    expect((await project.run(['list'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(
      escape,
    )
  })

  it('runs in the directory of --cwd', async () => {
    expect((await project.run(['list', '--cwd', project.root], { cwd: '/' })).exitCode).toBe(0)
    const nowhere = await project.run(['list', '--cwd', 'nowhere'])
    expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('directory not found') })
  })

  it('exits without an error if its output is closed', async () => {
    const listing = project.spawn(['list'], { buffer: false })
    listing.stdout?.destroy()
    let stderr = ''
    listing.stderr?.on('data', (text: Buffer) => (stderr += text.toString()))
    const { exitCode } = await listing
    expect(stderr).not.toContain('EPIPE')
    expect(exitCode).toBe(0)
  })

  it('exits with 130 on SIGINT after the current step; a later run does not resume the execution', async () => {
    const running = project.spawn(['run-workflow', 'slow', '--execution-id', 'stopped'])
    await project.noted('second')
    running.kill('SIGINT')
    await printed(running, 'Interrupted execution stopped')
    project.openGate()
    expect((await running).exitCode).toBe(130)
    await project.json(['run-workflow', 'order', '--input', '{"orderId":"A-2"}'])
    expect((await project.json(['state', 'stopped'])).value.status).toBe('running')
    expect(project.notes()).toEqual(['first', 'second'])
    const cancelled = await project.json(['cancel-workflow', 'slow', 'stopped'])
    expect(cancelled.value.status).toBe('cancelled')
  })

  it('suspends an execution of a killed process at its current step', async () => {
    project.delete('gate')
    const running = project.spawn(['run-workflow', 'slow', '--execution-id', 'killed'])
    await until(() => project.notes().length === 4, 'the second step')
    running.kill('SIGKILL')
    await running
    const { exitCode, value } = await project.json(['suspend-workflow', 'slow', 'killed'])
    expect(value).toMatchObject({ status: 'suspended' })
    expect(exitCode).toBe(0)
    expect(project.notes()).toHaveLength(4)
  })

  it('exits immediately with 130 on a second SIGINT', async () => {
    const running = project.spawn(['run-workflow', 'slow'])
    await until(() => project.notes().length === 6, 'the second step')
    running.kill('SIGINT')
    await printed(running, 'Interrupted execution')
    // signals in quick succession count as one
    await new Promise((resolve) => setTimeout(resolve, 100))
    running.kill('SIGINT')
    expect((await running).exitCode).toBe(130)
  })
})

/** Waits until a process has printed a text to stderr. */
async function printed(running: ReturnType<CliProject['spawn']>, text: string): Promise<void> {
  let stderr = ''
  running.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await until(() => stderr.includes(text), text)
}
