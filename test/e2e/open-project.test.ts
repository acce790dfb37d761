import { execa } from 'execa'
import { afterEach, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

/** The built package: scripts of a project import it from node_modules. */
const DIST = new URL('../../dist/', import.meta.url).href

const FILES = {
  '.env': 'GREETING=Hello from .env\n',
  'agentserver.config.ts': `
    import { createAgent, createSchedule, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'

    const model = scriptedModel([process.env.GREETING], { repeatLast: true })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.', model })
    export const double = createWorkflow({ id: 'double', inputSchema: z.object({ n: z.number() }) })
      .andThen({ id: 'times', execute: ({ data }) => ({ n: data.n * 2 }) })
    const nightly = createSchedule({ id: 'nightly', workflow: double, input: { n: 0 }, every: '1s' })
    export default defineConfig({ workflows: [double], agents: [clerk], schedules: [nightly] })
  `,
  'seed.mjs': `
    import { createAgent, createWorkflow, createTool, getExecution, startWorkflow } from '${DIST}index.js'
    import { openProject } from '${DIST}server/index.js'
    import { z } from 'zod'

    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: '' })
    const add = createTool({
      name: 'add', description: 'Adds', inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1,
    })
    const project = await openProject(...JSON.parse(process.argv[2] ?? '[]'))
    const started = await startWorkflow('double', { n: 4 })
    const { result } = await started.result()
    const { status } = await getExecution('double', started.executionId)
    const { text } = await clerk.generate('Hi', { userId: 'ada' })
    console.log(JSON.stringify({ result, status, text, added: await add.run({ a: 1 }) }))
    await project.close()
    await clerk.generate('Hi').catch(({ message }) => console.log(message))
  `,
}

describe('openProject in a script', () => {
  let project: CliProject
  const open = () => (project = new CliProject(FILES))
  const script = (...options: readonly unknown[]) =>
    execa(process.execPath, ['seed.mjs', JSON.stringify(options)], { cwd: project.root, reject: false })
  afterEach(() => project.end())

  it('runs agents, tools and workflows on the database of the project, and the process ends by itself', async () => {
    open()
    const { stdout, stderr, exitCode } = await script()
    const [line = '', after] = stdout.split('\n')
    expect([stderr, exitCode]).toEqual(['', 0])
    expect(JSON.parse(line)).toEqual({
      result: { n: 8 },
      status: 'completed',
      text: 'Hello from .env',
      added: 2,
    })
    expect(after).toMatch(
      /^agent\.generate\(\) works on a server: .* no server runs in this process\. In a script .* openProject\(\)/,
    )
    const { value } = await project.json(['list', 'executions'])
    expect(value).toMatchObject([{ workflowId: 'double', status: 'completed' }])
  })

  it('says where it has looked when there is no project, and that a server has the database', async () => {
    open()
    const missing = await script({ config: 'elsewhere' })
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringContaining('Config file not found: '),
    ])
    expect(missing.stderr).toContain("openProject({ config: '<path>' })")
    const server = await project.serve('dev')
    const locked = await script({ config: '.' })
    expect(locked.exitCode).toBe(1)
    expect(locked.stderr).toMatch(
      /is in use by process \d+: a server of the project runs\. Stop it, use Postgres, or call/,
    )
    await server.kill('SIGKILL')
  })
})
