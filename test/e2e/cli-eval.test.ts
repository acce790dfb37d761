import fs from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { NO_MODEL } from '../support/model/model-env.ts'
import { CliProject } from '../support/project/cli-project.ts'

const CONFIG = `
  import { andThen, createTool, createWorkflow, defineConfig } from 'agentserver'
  import { z } from 'zod'
  const double = createTool({
    name: 'double', description: 'Doubles', inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => ({ n: n * 2, at: Date.now() }),
  })
  const order = createWorkflow({ id: 'order', name: 'Order', inputSchema: z.object({ amount: z.number() }) })
    .andThen({ id: 'approve', resumeSchema: z.object({ ok: z.boolean() }),
      execute: async ({ data, suspend, resumeData }) =>
        data.amount > 100 && !resumeData ? suspend('over limit') : { ...data, ok: resumeData?.ok ?? true } })
    .andThen({ id: 'check', execute: async ({ data }) => {
      if (data.amount < 0) throw new RangeError('negative')
      return data
    } })
  export default defineConfig({ workflows: [order], tools: [double], schedules: [] })
`
const json = (value: unknown) => JSON.stringify(value)
const order = (input: unknown, rest: object) => json({ target: { workflow: 'order' }, input, ...rest })

describe('eval', () => {
  const project = new CliProject({
    'agentserver.config.ts': CONFIG,
    'cases/orders/small.json': order({ amount: 5 }, { expected: { amount: 5, ok: true } }),
    'cases/orders/large.json': order(
      { amount: 500 },
      { resume: [{ ok: false }], expected: { amount: 500, ok: false } },
    ),
    'cases/tools/double.json': json({
      target: { tool: 'double' },
      input: { n: 2 },
      expected: { n: 4, at: 0 },
      rules: { '/at': { range: [1, 1e15] } },
    }),
  })
  afterAll(() => project.end())

  it('runs the case files without an eval, each with its rules and resume data, and passes', async () => {
    const { exitCode, stdout } = await project.run(['eval'])
    expect(stdout).toContain('cases  1.00 of at least 1')
    expect(stdout).toMatch(
      /CASE +SCORE +SCORERS +TIME +COST\ncases\/orders\/large\.json +1\.00 +equals 1\.00/,
    )
    expect(exitCode).toBe(0)
  })

  it('fails with the reasons of cases that are not as expected, and then runs those alone', async () => {
    project.write({ 'cases/orders/small.json': order({ amount: 5 }, { expected: { amount: 6, ok: true } }) })
    project.write({ 'cases/orders/stuck.json': order({ amount: 500 }, { expected: 1 }) })
    project.write({ 'cases/orders/broken.json': order({ amount: -1 }, { expected: 1 }) })
    project.write({ 'cases/orders/refused.json': order({}, { expected: 1 }) })
    const failed = await project.run(['eval', '--junit', 'results.xml'])
    expect(failed.exitCode).toBe(1)
    expect(failed.stdout).toContain('cases/orders/small.json equals 0.00: /amount: expected 6, got 5')
    expect(failed.stdout).toContain('cases/orders/stuck.json suspended at step "approve" (over limit)')
    expect(failed.stdout).toContain('cases/orders/broken.json RangeError: negative')
    expect(failed.stdout).toMatch(/cases\/orders\/refused\.json .*amount: Required/)
    expect(project.read('results.xml')).toContain('<testsuite name="cases" tests="6" failures="4"')
    const again = await project.run(['eval', '--only-failed', '--json'])
    const { evals } = JSON.parse(again.stdout) as { evals: { cases: { id: string }[] }[] }
    expect(evals[0]?.cases.map(({ id }) => id)).toEqual(
      ['broken', 'refused', 'small', 'stuck'].map((name) => `cases/orders/${name}.json`),
    )
  })

  it('prints the same JSON for the same outputs, and compares with a baseline', async () => {
    const args = ['eval', 'cases/orders/{small,large}.json', '--json']
    const first = await project.run([...args, '--save-baseline', 'main'])
    expect((await project.run(args)).stdout).toBe(first.stdout)
    project.write({
      'cases/orders/large.json': order({ amount: 500 }, { resume: [{ ok: true }], expected: 2 }),
    })
    const worse = await project.run([...args, '--baseline', 'main'])
    expect(worse.exitCode).toBe(1)
    expect(worse.stderr).toContain('cases/orders/large.json is below the baseline')
    const unknown = await project.run([...args, '--baseline', 'mian'])
    expect(unknown.exitCode).toBe(2)
    expect(unknown.stderr).toContain('There is no baseline "mian"')
  })

  it('uses the scorers and the threshold of an eval file, and survives a scorer that throws', async () => {
    project.write({
      'src/orders.eval.ts': `import { createEval } from 'agentserver'
       export const mixed = createEval({ id: 'mixed', target: { workflow: 'order' }, threshold: 0.5,
         cases: [{ id: 'a', input: { amount: 1 } }],
         scorers: [function always() { return 1 }, function seven() { return 7 },
           function throws() { throw new Error('no scale') }, ({ trace }) => ({ score: trace.steps === 2 ? 1 : 0 })] })`,
    })
    const { stdout, exitCode } = await project.run(['eval', '--repeat', '2'])
    expect(stdout).toContain('✓ mixed  0.50 of at least 0.5')
    expect(stdout).toContain('mixed/a seven 0.00: the scorer returned 7, not a number from 0 to 1')
    expect(stdout).toContain('mixed/a throws 0.00: the scorer threw: no scale')
    expect(exitCode).toBe(1)
  })

  it('ends with 2 for a workflow that is gone, and names the case', async () => {
    project.write({ 'cases/gone/old.json': json({ target: { workflow: 'ordr' }, input: 1, expected: 1 }) })
    const { exitCode, stderr } = await project.run(['eval', 'cases/gone/*.json'])
    expect(stderr).toMatch(/cases\/gone\/old\.json: there is no workflow "ordr"\s+Did you mean "order"/)
    expect(exitCode).toBe(2)
  })

  it('ends with 2 without any case that the glob matches', async () => {
    const { exitCode, stderr } = await project.run(['eval', 'cases/none/*.json'])
    expect(stderr).toContain('No case file matches cases/none/*.json')
    expect(exitCode).toBe(2)
  })
})

describe('an interrupted eval', () => {
  // the second case waits for ever
  const project = new CliProject({
    'src/one-by-one.eval.ts': `
      import { createEval } from 'agentserver'
      export default createEval({
        id: 'one-by-one', target: { workflow: 'order' }, concurrency: 1,
        cases: [
          { id: 'fast', input: { orderId: 'A' }, expected: { orderId: 'A', amount: 1, charged: true } },
          { id: 'slow', target: { workflow: 'slow' }, input: {}, expected: 1 },
          { id: 'never', input: { orderId: 'B' }, expected: 1 },
        ],
      })`,
  })
  afterAll(() => project.end())

  /** Interrupts an eval in its second case. */
  async function interrupt(...args: string[]) {
    project.write({ 'ran.log': '' })
    const command = project.spawn(['eval', ...args], { env: NO_MODEL })
    await project.noted('second')
    command.kill('SIGINT')
    const { exitCode, stdout } = await command
    return { exitCode, stdout: String(stdout) }
  }

  it('prints the cases that have ended, once, and ends with 130', async () => {
    const { exitCode, stdout } = await interrupt('--junit', 'results.xml')
    expect(exitCode).toBe(130)
    expect(stdout.match(/one-by-one\/\w+/g)).toEqual(['one-by-one/fast'])
    expect(project.read('results.xml')).toMatch(/<testsuite name="one-by-one" tests="1"[^]*<\/testsuites>\n$/)
  })

  it('prints one JSON value, which says that it was interrupted', async () => {
    const { exitCode, stdout } = await interrupt('--json', '--save-baseline', 'main')
    expect(exitCode).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      passed: false,
      interrupted: true,
      evals: [{ id: 'one-by-one', cases: [{ id: 'one-by-one/fast', score: 1 }] }],
    })
    expect(fs.existsSync(project.path('cases'))).toBe(false)
  })

  it('leaves the recordings of the cases that have ended', async () => {
    project.write({
      'agentserver.config.ts': `
        import { createAgent, defineConfig } from 'agentserver'
        import { order, slow } from './src/workflows.ts'
        const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Echo' })
        export default defineConfig({ agents: [clerk], workflows: [order, slow] })`,
      'src/one-by-one.eval.ts': `
        import { createEval } from 'agentserver'
        export default createEval({
          id: 'one-by-one', target: { agent: 'clerk' }, concurrency: 1,
          cases: [
            { id: 'fast', input: 'Hi', expected: 1 },
            { id: 'slow', target: { workflow: 'slow' }, input: {}, expected: 1 },
            { id: 'never', input: 'Ho', expected: 1 },
          ],
        })`,
    })
    const { exitCode, stdout } = await interrupt('--record')
    expect(exitCode).toBe(130)
    expect(stdout).toContain('one-by-one/fast equals 0.00')
    const files = fs.readdirSync(project.path('cases'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => fs.statSync(project.path(`cases/${name}`)).isFile())).toEqual([
      expect.stringMatching(/^\.recordings\/one-by-one\/fast\/clerk\.demo-demo\.\w+\.json$/),
    ])
  })
})
