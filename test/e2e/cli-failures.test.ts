import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const WORKFLOWS = `
  import fs from 'node:fs'
  import { setTimeout as sleep } from 'node:timers/promises'
  import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
  import { z } from 'zod'

  const forever = createWorkflow({ id: 'forever' })
    .andThen({ id: 'first', execute: () => 1 })
    .andThen({ id: 'silent', execute: () => new Promise(() => {}) })
  const obedient = createWorkflow({ id: 'obedient' }).andThen({
    id: 'wait',
    execute: async ({ signal }) => {
      fs.appendFileSync('ran.log', 'waiting\\n')
      await sleep(600_000, undefined, { signal }).finally(() => fs.appendFileSync('ran.log', 'cleaned up\\n'))
    },
  })
  const failing = createAgent({ id: 'failing', name: 'Failing', instructions: 'x', model: 'openai/none' })
  const refund = createTool({
    name: 'refund', description: 'x', inputSchema: z.object({ id: z.string() }), execute: () => 1,
  })
  const hang = createTool({
    name: 'hang', description: 'x', inputSchema: z.object({}), execute: () => new Promise(() => {}),
  })
  const exiting = createWorkflow({ id: 'exiting' }).andThen({ id: 'quit', execute: () => process.exit(0) })
  const exitingText = createWorkflow({ id: 'exiting-text' })
    .andThen({ id: 'quit', execute: () => process.exit('0') })
  const exitingLate = createWorkflow({ id: 'exiting-late' }).andThen({
    id: 'quit',
    execute: async ({ signal }) => {
      fs.appendFileSync('ran.log', 'until the signal\\n')
      await sleep(600_000, undefined, { signal }).catch(() => process.exit(0))
    },
  })
  const retrying = createWorkflow({ id: 'retrying' }).andThen({
    id: 'again',
    retries: { limit: 1, delayMs: 600_000 },
    execute: () => {
      fs.appendFileSync('ran.log', 'failed\\n')
      throw new Error('again')
    },
  })
  const workflows = [retrying, forever, obedient, exiting, exitingText, exitingLate]
  export default defineConfig({ workflows, agents: [failing], tools: [refund, hang] })
`

let project: CliProject

beforeAll(() => {
  project = new CliProject({ 'agentserver.config.ts': WORKFLOWS })
})
afterAll(() => project.end())

const failureOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown

describe('a failed command with --json', () => {
  it.each([
    [['run-workflow', 'foreve'], 2, 'Workflow not found: foreve'],
    [['resume-workflow', 'forever', 'nowhere'], 2, 'Execution not found'],
    [['stream-workflow', 'foreve'], 2, 'Workflow not found'],
    [['replay-workflow', 'forever', 'nowhere', '--step', 'first'], 2, 'Execution not found'],
    [['state', 'nowhere'], 2, 'Execution not found'],
    [['trace', 'nowhere'], 2, 'No trace or execution found'],
    [['run-tool', 'refund'], 2, 'input.id'],
    [['chat', 'nobody', '--input', 'x'], 2, 'Agent not found'],
    [['list', '--config', 'nowhere'], 2, 'Config file not found'],
    [['list', '--url', 'http://127.0.0.1:9'], 4, 'Cannot connect'],
    [['list', '--cwd', 'nowhere'], 2, '--cwd: directory not found'],
    [['init', '--template', 'nothing'], 2, 'Unknown template'],
    [['check-updates'], 2, 'package.json'],
    [['dev', '--port', 'x'], 2, 'is not a port'],
    [['run-workflow', 'forever', '--inptu', '{}'], 2, 'unknown option "--inptu"'],
    [['run-workflow'], 2, 'missing required argument "workflow"'],
    [['lst'], 2, 'unknown command "lst"'],
    [[], 2, 'No command was given'],
  ])('prints the error as JSON on stdout too: %j', async (args, code, error) => {
    const { exitCode, stdout, stderr } = await project.run([...args, '--json'])
    expect(failureOf(stdout)).toEqual({ success: false, error: expect.stringContaining(error) })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr).not.toBe('')
    expect(exitCode).toBe(code)
  })

  it('prints the position of an error in the configuration', async () => {
    const broken = new CliProject({ 'agentserver.config.ts': 'export default { prot: 1 }' })
    try {
      const { stdout } = await broken.run(['list', '--json'])
      expect(failureOf(stdout)).toEqual({
        success: false,
        error: expect.stringMatching(/unknown option "prot".* at agentserver\.config\.ts:1:18$/),
      })
      expect((await broken.json(['doctor'])).value).toMatchObject({
        success: false,
        error: expect.stringContaining('unknown option "prot"'),
        ok: false,
      })
    } finally {
      await broken.end()
    }
  })
})

describe('the error of a step', () => {
  const config = (steps: string) => `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { charge } from './src/charge.ts'
    const w = createWorkflow({ id: 'w' })
      .andThen({ id: 'first', execute: () => 1 })
      ${steps}
    export default defineConfig({ workflows: [w] })`
  const run = async (steps: string) => {
    const charge = `export function charge() {\n  throw new Error('declined')\n}`
    const faulty = new CliProject({ 'agentserver.config.ts': config(steps), 'src/charge.ts': charge })
    try {
      return (await faulty.run(['run-workflow', 'w'])).stderr
    } finally {
      await faulty.end()
    }
  }

  it('points to the line of the step if nothing else in the project is the cause', async () => {
    const stderr = await run(`.andThen({ id: 'date', execute: () => ({ at: new Date() }) })`)
    expect(stderr).toMatch(
      /result\.at: a Date is not JSON in step "date"\n {2}at agentserver\.config\.ts:6:8/,
    )
  })

  it('points to where it was thrown, and to the line of the step that led there', async () => {
    const stderr = await run(`.andThen({ id: 'pay', execute: () => charge() })`)
    expect(stderr).toMatch(/at src\/charge\.ts:2:9, called at agentserver\.config\.ts:6:\d+/)
  })

  it('points to the line of the step if its declaration is not valid', async () => {
    const invalid = await run(`.andThen({ id: 'not an id', execute: () => 1 })`)
    expect(invalid).toContain('at agentserver.config.ts:6:8')
    expect(invalid).toMatch(/> 6 \| +\.andThen\(\{ id: 'not an id'/)
    expect(await run(`.andThen({ id: 'first', execute: () => 1 })`)).toContain('at agentserver.config.ts:6:8')
  })
})

describe('a step that waits for a promise that nothing can settle', () => {
  it.each(['run-workflow', 'stream-workflow'])(
    'ends %s with a message and the exit code 5',
    async (command) => {
      const { exitCode, stderr } = await project.launch([
        command,
        'forever',
        '--execution-id',
        `stalled-${command}`,
      ])
      expect(stderr).toContain(
        `Step "silent" of workflow "forever" (execution stalled-${command}) waits for a promise`,
      )
      expect(stderr).not.toContain('unsettled top-level await')
      expect(exitCode).toBe(5)
    },
  )

  it('is a tool, too', async () => {
    const { exitCode, stderr } = await project.launch(['run-tool', 'hang'])
    expect(stderr).toContain('Tool "hang" waits for a promise')
    expect(exitCode).toBe(5)
  })

  it.each(['exiting', 'exiting-text'])('that ends the process itself is named: %s', async (id) => {
    const { exitCode, stdout, stderr } = await project.launch(['run-workflow', id, '--json'])
    expect(stderr).toMatch(
      new RegExp(`orkflow "${id}".* called process\\.exit\\(0\\), which ended this command`),
    )
    expect(failureOf(stdout)).toEqual({ success: false, error: expect.stringContaining('process.exit(0)') })
    expect(exitCode).toBe(1)
  })

  it('ends with JSON', async () => {
    const { exitCode, stdout } = await project.launch(['run-workflow', 'forever', '--json'])
    expect(JSON.parse(stdout)).toEqual({ success: false, error: expect.stringContaining('Step "silent"') })
    expect(exitCode).toBe(5)
  })

  it('is named if it is in the configuration', async () => {
    const waiting = new CliProject({
      'agentserver.config.ts': 'await new Promise(() => {})\nexport default {}',
    })
    try {
      const { exitCode, stderr } = await waiting.launch(['list'])
      expect(stderr).toContain('agentserver.config.ts waits for a promise')
      expect(exitCode).toBe(5)
    } finally {
      await waiting.end()
    }
  })
})

describe('Ctrl-C', () => {
  it('aborts the signal of the running step, and the command ends when the step has', async () => {
    const running = project.spawn(['run-workflow', 'obedient', '--execution-id', 'obeyed', '--json'])
    await until(() => project.notes().includes('waiting'), 'the step')
    const interruptedAt = performance.now()
    running.kill('SIGINT')
    const { exitCode, stdout } = await running
    expect(performance.now() - interruptedAt).toBeLessThan(4000)
    expect(project.notes()).toEqual(['waiting', 'cleaned up'])
    expect(failureOf(String(stdout))).toEqual({ success: false, error: 'Interrupted' })
    expect(exitCode).toBe(130)
    expect((await project.json(['state', 'obeyed'])).value.status).toBe('running')
  })

  it('ends the command with one error, also if the step then ends the process', async () => {
    const running = project.spawn(['run-workflow', 'exiting-late', '--json'])
    await until(() => project.notes().includes('until the signal'), 'the step')
    running.kill('SIGINT')
    const { exitCode, stdout } = await running
    expect(JSON.parse(String(stdout))).toEqual({ success: false, error: 'Interrupted' })
    expect(exitCode).toBe(130)
  })

  it('in the pause before a retry does not tell of a step that was aborted', async () => {
    const running = project.spawn(['run-workflow', 'retrying'])
    await until(() => project.notes().includes('failed'), 'the step')
    running.kill('SIGINT')
    const { exitCode, stderr } = await running
    expect(stderr).toContain('It resumes when a server of the project starts. The signal of a running step')
    expect(stderr).not.toContain('was aborted')
    expect(exitCode).toBe(130)
  })

  it('aborts the signal of the running steps of dev, too', async () => {
    const served = new CliProject({ 'agentserver.config.ts': WORKFLOWS })
    try {
      const dev = await served.serve('dev')
      const headers = { Prefer: 'respond-async' }
      expect((await dev.post('/workflows/obedient/execute', { input: {} }, headers)).status).toBe(202)
      await until(() => served.notes().includes('waiting'), 'the step')
      const interruptedAt = performance.now()
      expect((await dev.kill('SIGINT')).exitCode).toBe(0)
      expect(performance.now() - interruptedAt).toBeLessThan(4000)
      expect(served.notes()).toEqual(['waiting', 'cleaned up'])
    } finally {
      await served.end()
    }
  })
})
