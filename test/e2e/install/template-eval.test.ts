import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { NO_MODEL } from '../../support/model/model-env.ts'
import { CliProject } from '../../support/project/cli-project.ts'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const TEMPLATE = path.join(REPOSITORY, 'templates/agent')
describe('the eval of the agent template', () => {
  const project = new CliProject()
  fs.cpSync(TEMPLATE, project.root, {
    recursive: true,
    filter: (file) => !/node_modules|\.agentserver/.test(path.relative(TEMPLATE, file)),
  })
  // installed like for a user
  project.delete('node_modules')
  fs.mkdirSync(project.path('node_modules'))
  fs.symlinkSync(REPOSITORY, project.path('node_modules/agentserver'), 'junction')
  for (const name of ['ai', 'libsql', 'vitest', 'zod'])
    fs.symlinkSync(
      path.join(REPOSITORY, 'node_modules', name),
      project.path(`node_modules/${name}`),
      'junction',
    )
  const clerk = project.read('src/agents/clerk.ts')
  const worse = clerk.replace(/instructions: `[^`]*`/, 'instructions: `Answer from memory.`')
  afterAll(() => project.end())

  const evaluate = () => project.run(['eval'], { env: NO_MODEL })
  /** Runs the tests of the template, like \`npm test\`. */
  const test = () =>
    execa(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/evals.test.ts'], {
      cwd: project.root,
      reject: false,
      env: { CI: undefined, NO_COLOR: '1', FORCE_COLOR: undefined, VITEST: undefined, ...NO_MODEL },
    })

  it('passes in the terminal and in Vitest, with one test for each case', async () => {
    const { exitCode, stdout } = await evaluate()
    expect(stdout).toContain('✓ clerk  1.00 of at least 1')
    expect(exitCode).toBe(0)
    const tested = await test()
    expect(tested.stdout).toMatch(/Tests +3 passed/)
    expect(tested.exitCode).toBe(0)
  })

  it('is replayed in Vitest, by the project as the command loads it', async () => {
    const own = project.read('test/evals.test.ts')
    const replaying = `import { evalCases } from 'agentserver/testing'
      await evalCases({ cases: 'cases/**/*.json', replay: true })`
    project.write({ 'test/evals.test.ts': replaying })
    const missing = await test()
    expect(missing.stdout + missing.stderr).toMatch(
      /cases\/clerk\/cents\.json: the answer of demo\/demo to agent "clerk" is not recorded: there is no cases\/\.recordings\/clerk\/clerk\/cents\//,
    )
    await project.run(['eval', '--record'], { env: NO_MODEL })
    const replayed = await test()
    project.write({ 'test/evals.test.ts': own })
    expect(replayed.stdout).toMatch(/Tests +3 passed/)
    expect(replayed.exitCode).toBe(0)
  })

  it('fails with worse instructions, for the same reasons', async () => {
    project.write({ 'src/agents/clerk.ts': worse })
    const { exitCode, stdout } = await evaluate()
    expect(stdout).toContain('cases/clerk/total.json toolCalls 0.00: expected calculate; called no tool')
    expect(exitCode).toBe(1)
    const tested = await test()
    expect(tested.stdout + tested.stderr).toContain('toolCalls 0.00: expected calculate; called no tool')
    expect(tested.stdout).toMatch(/Tests +3 failed/)
    expect(tested.exitCode).toBe(1)
  })
})
