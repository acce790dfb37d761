import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

let project: CliProject

beforeEach(() => {
  project = new CliProject({
    'agentserver.config.ts': `
      import { createWorkflow, defineConfig } from 'agentserver'
      import { slow } from './src/workflows.ts'
      const deadly = createWorkflow({ id: 'deadly' }).andThen({ id: 'exit', execute: () => process.exit(7) })
      export default defineConfig({ workflows: [slow, deadly] })
    `,
  })
})
afterEach(() => project.end())

it('a server whose step exits the process runs again after three crashes, and the executions beside it complete', async () => {
  const first = await project.serve('start')
  const execute = (workflow: string, executionId: string) =>
    first.post(`/workflows/${workflow}/execute`, { input: {}, options: { executionId } })
  execute('slow', 'bystander').catch(() => undefined)
  await project.noted('second')
  await expect(execute('deadly', 'culprit')).rejects.toThrow('fetch failed')
  expect((await first.ended()).exitCode).toBe(7)

  const second = await project.run(['start', '--port', '0'])
  expect(second.exitCode).toBe(7)
  expect(second.stdout + second.stderr).toMatch(
    /execution culprit of workflow \\?"deadly\\?", which was running \\?"exit\\?" \(crash 1 of 3\)/,
  )

  // both steps were running at two crashes: they run one after the other
  project.openGate()
  expect((await project.run(['start', '--port', '0'])).exitCode).toBe(7)

  const fourth = await project.serve('start')
  const record = async (workflow: string, id: string) =>
    (await fourth.get(`/workflows/${workflow}/executions/${id}`)).data
  await expect.poll(async () => (await record('deadly', 'culprit')).status).toBe('error')
  expect((await record('deadly', 'culprit')).error).toMatchObject({ name: 'CrashLoopError', stepId: 'exit' })
  await expect.poll(async () => (await record('slow', 'bystander')).status).toBe('completed')
})
