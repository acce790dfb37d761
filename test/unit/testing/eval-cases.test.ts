import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createEval, createWorkflow, defineConfig } from '../../../src/index.ts'
import { evalCases, type EvalCasesOptions, type TestFunction } from '../../../src/testing/index.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const order = createWorkflow({ id: 'order', inputSchema: z.object({ n: z.number() }) }).andThen({
  id: 'double',
  execute: ({ data }) => ({ n: data.n * 2 }),
})
const config = defineConfig({ workflows: [order] })
const target = { workflow: 'order' }
const expected = (n: number, result: number) => ({ target, input: { n }, expected: { n: result } })

const projects: TempProject[] = []
afterEach(() => {
  vi.unstubAllGlobals()
  for (const project of projects.splice(0)) project.remove()
})

function project(files: Readonly<Record<string, unknown>> = {}): TempProject {
  const texts = Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])
  const created = new TempProject(Object.fromEntries(texts) as Record<string, string>)
  projects.push(created)
  return created
}

/** Defines the tests, runs them, and returns their names with the messages of those that fail. */
async function run(options: EvalCasesOptions): Promise<Record<string, string>> {
  const tests: { name: string; run: () => Promise<void> }[] = []
  await evalCases({ config, ...options, test: (name, run) => void tests.push({ name, run }) })
  const ended = await Promise.allSettled(tests.map((one) => one.run()))
  const texts = ended.map((end) => (end.status === 'rejected' ? (end.reason as Error).message : 'passes'))
  return Object.fromEntries(tests.map(({ name }, index) => [name, texts[index] ?? '']))
}

describe('evalCases', () => {
  it('defines a test for each case file, which fails with the reasons that the command prints', async () => {
    const { root } = project({ 'cases/a/right.json': expected(1, 2), 'cases/a/wrong.json': expected(1, 3) })
    expect(await run({ root })).toEqual({
      'cases/a/right.json': 'passes',
      'cases/a/wrong.json': 'score 0.00, at least 1 (the eval has 0.50)\nequals 0.00: /n: expected 3, got 2',
    })
    expect(await run({ root, cases: 'cases/a/r*.json' })).toEqual({ 'cases/a/right.json': 'passes' })
  })

  it.each([
    [0.5, 'passes'],
    [0.6, 'score 0.00, at least 0.6 (the eval has 0.50)\nequals 0.00: /n: expected 9, got 4'],
  ])(
    'fails a case below the threshold %s only if the mean of its eval is below it',
    async (threshold, wrong) => {
      const mixed = createEval({
        id: 'mixed',
        target,
        threshold,
        cases: [
          { id: 'right', input: { n: 1 }, expected: { n: 2 } },
          { id: 'wrong', input: { n: 2 }, expected: { n: 9 } },
        ],
      })
      const { root } = project()
      expect(await run({ root, evals: [mixed] })).toEqual({ 'mixed/right': 'passes', 'mixed/wrong': wrong })
    },
  )

  it('fails a case whose answers are not recorded', async () => {
    const { createAgent, demoModel } = await import('../../../src/index.ts')
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Echo', model: demoModel() })
    const asked = { target: { agent: 'clerk' }, input: 'Hi', scorers: [{ maxSteps: 3 }] }
    const { root } = project({ 'cases/a/hi.json': asked })
    const { 'cases/a/hi.json': message } = await run({
      root,
      config: defineConfig({ agents: [clerk] }),
      replay: true,
    })
    expect(message).toMatch(
      /^cases\/a\/hi\.json: the answer of demo\/demo to agent "clerk" is not recorded: there is no cases\/\.recordings\/cases\/a\/hi\/clerk\.demo-demo\.\w+\.json$/,
    )
  })

  it('asks the models of the test in place of those of the agents', async () => {
    const { createAgent } = await import('../../../src/index.ts')
    const { scriptedModel } = await import('../../../src/testing/scripted-model.ts')
    const clerk = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Echo',
      model: 'openai/gpt-4.1-mini',
    })
    const { root } = project({
      'cases/a/hi.json': { target: { agent: 'clerk' }, input: 'Hi', expected: 'Ho' },
    })
    const asked = { root, config: defineConfig({ agents: [clerk] }) }
    const models = { clerk: scriptedModel(['Ho']) }
    expect(await run({ ...asked, models })).toEqual({ 'cases/a/hi.json': 'passes' })
    await expect(run({ ...asked, models: { clark: models.clerk } })).rejects.toThrow(
      'evalCases(): models has "clark", and there is no agent with this id: there are clerk',
    )
    await expect(run({ ...asked, models, replay: true })).rejects.toThrow('leave out models and model')
  })

  it('fails a broken case, beside the others', async () => {
    const { root } = project({
      'cases/a/gone.json': { target: { workflow: 'odrer' }, input: 1, expected: 1 },
      'cases/a/right.json': expected(1, 2),
    })
    expect(await run({ root })).toEqual({
      'cases/a/gone.json': expect.stringContaining('cases/a/gone.json: there is no workflow "odrer"'),
      'cases/a/right.json': 'passes',
    })
    await expect(run({ root: project().root })).rejects.toThrow('There are no cases')
    await expect(run({ root, repeat: 0 })).rejects.toThrow('repeat must be a whole number')
  })

  it('takes the global function, and says what is missing without one', async () => {
    const { root } = project({ 'cases/a/right.json': expected(1, 2) })
    const test = vi.fn<TestFunction>()
    vi.stubGlobal('test', test)
    await evalCases({ config, root, timeoutMs: 5 })
    expect(test.mock.calls).toEqual([['cases/a/right.json', expect.any(Function), 5]])
    await test.mock.calls[0]?.[1]()
    vi.unstubAllGlobals()
    await expect(evalCases({ config, root })).rejects.toThrow('pass { test } of your test runner')
  })
})
