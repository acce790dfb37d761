import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliProject } from '../../support/project/cli-project.ts'

let project: CliProject

beforeEach(() => {
  project = new CliProject({
    'agentserver.config.ts': `
      import { createWorkflow, defineConfig } from 'agentserver'
      import { slow } from './src/workflows.ts'
      const deadly = createWorkflow({ id: 'deadly' }).andThen({ id: 'exit', execute: () => process.exit(7) })
      const throwing = createWorkflow({ id: 'throwing' }).andThen({ id: 'throw', execute: () => {
        setTimeout(() => { throw new Error('out of the blue') })
        return new Promise(() => undefined)
      } })
      export default defineConfig({ workflows: [slow, deadly, throwing] })
    `,
  })
})
afterEach(() => project.end())

it.each(['deadly', 'throwing'])(
  'a server with the step of workflow "%s" runs again after some crashes, and what ran beside it completes',
  async (workflow) => {
    const first = await project.serve('start')
    const execute = (id: string, executionId: string) =>
      first.post(`/workflows/${id}/execute`, { input: {}, options: { executionId } })
    execute('slow', 'bystander').catch(() => undefined)
    await project.noted('second')
    await execute(workflow, 'culprit').catch(() => undefined)
    expect((await first.ended()).exitCode).not.toBe(0)
    const outputs: string[] = []
    let server = first
    for (let crashes = 1; crashes < 10; crashes++) {
      // it may end before it is ready
      const next = await project.serve('start').catch((error: Error) => void outputs.push(error.message))
      if (!next) continue
      server = next
      const end = await Promise.race([server.ended(), until(server, workflow)])
      outputs.push(server.stderr)
      if (end === 'condemned') break
    }
    expect(outputs.join('')).toMatch(/execution culprit \(crash 2 of 3 with nothing else running\)/)
    const record = async (id: string, executionId: string) =>
      (await server.get(`/workflows/${id}/executions/${executionId}`)).data
    expect((await record(workflow, 'culprit')).error).toMatchObject({ name: 'CrashLoopError' })
    project.openGate()
    await expect.poll(async () => (await record('slow', 'bystander')).status).toBe('completed')
  },
)

/** Waits until the culprit has failed. */
async function until(
  server: Awaited<ReturnType<CliProject['serve']>>,
  workflow: string,
): Promise<'condemned'> {
  for (;;) {
    const read = server.get(`/workflows/${workflow}/executions/culprit`)
    const status = await read.then(
      ({ data }) => data.status,
      () => 'gone',
    )
    if (status === 'error') return 'condemned'
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
