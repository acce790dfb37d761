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
    // an input that its schema refuses
    expect(failed.exitCode).toBe(2)
    expect(failed.stderr).toMatch(/✗ cases\/orders\/refused\.json is broken: .*amount: Required/)
    expect(failed.stdout).toContain('cases/orders/small.json equals 0.00: /amount: expected 6, got 5')
    expect(failed.stdout).toContain('cases/orders/stuck.json suspended at step "approve" (over limit)')
    expect(failed.stdout).toContain('cases/orders/broken.json RangeError: negative')
    expect(failed.stdout).toMatch(/cases\/orders\/refused\.json .*amount: Required/)
    expect(project.read('results.xml')).toContain('<testsuite name="cases" tests="6" failures="3" errors="1"')
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

  it('uses the scorers and the threshold of an eval file, and ends with 2 for a scorer that is broken', async () => {
    project.write({
      'src/orders.eval.ts': `import { createEval } from 'agentserver'
       export const mixed = createEval({ id: 'mixed', target: { workflow: 'order' }, threshold: 0.5,
         cases: [{ id: 'a', input: { amount: 1 } }],
         scorers: [function always() { return 1 }, function seven() { return 7 },
           function throws() { throw new Error('no scale') }, function nothing() {},
           ({ trace }) => ({ score: trace.steps === 2 ? 1 : 0 })] })`,
    })
    const { stderr, stdout, exitCode } = await project.run(['eval', '--repeat', '2'])
    expect(stdout).toContain('✗ mixed  0.00 of at least 0.5')
    expect(stderr).toMatch(/✗ mixed\/a is broken: .*"seven" returned 7, not a number from 0 to 1/)
    expect(stderr).toMatch(/"throws" threw: no scale; the scorer "nothing" returned undefined, not a number/)
    expect(exitCode).toBe(2)
  })

  it('runs the other cases beside a file that is not a case, and ends with 2', async () => {
    project.delete('src/orders.eval.ts')
    project.delete('cases')
    project.write({
      'cases/a/good.json': order({ amount: 5 }, { expected: { amount: 5, ok: true } }),
      'cases/a/bad.json': '{ "target": ',
    })
    const { exitCode, stdout, stderr } = await project.run(['eval', '--junit', 'results.xml'])
    expect(exitCode).toBe(2)
    expect(stdout).toMatch(/cases\/a\/good\.json +1\.00 +equals 1\.00/)
    expect(stderr).toContain('✗ cases/a/bad.json is broken: cases/a/bad.json is not JSON')
    expect(project.read('results.xml')).toMatch(
      /tests="2" failures="0" errors="1"[^]*<error message="cases\/a\/bad\.json is not JSON[^"]*"\/>/,
    )
    project.delete('cases/a/bad.json')
  })

  it('names a judge whose model gives no judgement, and one that the demo model stood in for', async () => {
    project.write({
      'src/judged.eval.ts': `import { createEval, demoModel, llmJudge } from 'agentserver'
       const silent = { ...demoModel(), modelId: 'silent', doGenerate: async () => ({
         content: [{ type: 'text', text: 'I can not say' }], finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
         usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }) }
       const judged = (id, model) => createEval({ id, target: { workflow: 'order' }, threshold: 0,
         cases: [{ id: 'a', input: { amount: 1 } }], scorers: [llmJudge({ criteria: 'Right', model })] })
       export const demo = judged('demo', demoModel())
       export const none = judged('none', silent)`,
    })
    const { exitCode, stdout, stderr } = await project.run(['eval'])
    expect(stdout).toMatch(/demo\/a +\d\.\d\d +llmJudge \d\.\d\d \(demo model\)/)
    expect(stderr).toMatch(/✗ none\/a is broken: the scorer "llmJudge" threw: /)
    expect(exitCode).toBe(2)
    project.delete('src/judged.eval.ts')
  })

  it('runs the kept case of a run that failed, which passes when it completes', async () => {
    const kept = (amount: number) =>
      order({ amount }, { from: { executionId: 'e-1', at: '2026-01-01T00:00:00Z' } })
    project.write({ 'cases/a/kept.json': kept(-1) })
    const failing = await project.run(['eval'])
    expect(failing.stdout).toContain('cases/a/kept.json RangeError: negative')
    expect(failing.exitCode).toBe(1)
    project.write({ 'cases/a/kept.json': kept(1) })
    expect((await project.run(['eval'])).exitCode).toBe(0)
  })

  it('ends with 2 for a workflow that is gone, and names the case', async () => {
    project.write({ 'cases/gone/old.json': json({ target: { workflow: 'ordr' }, input: 1, expected: 1 }) })
    const { exitCode, stderr } = await project.run(['eval', 'cases/gone/*.json'])
    expect(stderr).toMatch(/cases\/gone\/old\.json: there is no workflow "ordr"\. Did you mean "order"/)
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
