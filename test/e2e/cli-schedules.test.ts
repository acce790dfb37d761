import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import type { RunningServer } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const CONFIG = (options: string, generation = 0) => `
  import { createSchedule, createWorkflow, defineConfig } from 'agentserver'
  // generation ${generation}
  const work = createWorkflow({ id: 'work' }).andThen({ id: 'a', execute: ({ data }) => data })
  const each = createSchedule({
    id: 'each', workflow: work, ${options},
    input: ({ scheduledAt }) => ({ at: scheduledAt.toISOString() }),
  })
  export default defineConfig({ workflows: [work], schedules: [each] })
`
const EACH_SECOND = `every: '1s', catchUp: 'all'`

let project: CliProject
beforeEach(() => {
  project = new CliProject({ 'agentserver.config.ts': CONFIG(EACH_SECOND) })
})
afterEach(() => project.end())

/** The instants that have an execution, in order, doubled ones twice. */
async function instants(server: RunningServer): Promise<number[]> {
  const { data } = await server.get('/observability/executions?limit=200')
  return (data as { id: string; input: { at: string } }[])
    .filter(({ id }) => id.startsWith('schedule:each:'))
    .map(({ id, input }) => {
      expect(id).toBe(`schedule:each:${input.at}`)
      return Date.parse(input.at)
    })
    .toSorted((a, b) => a - b)
}

it('a schedule every second misses and doubles no instant over twelve reloads and three kills', async () => {
  let server = await project.serve('dev')
  await until(async () => (await instants(server)).length > 0)
  for (let round = 1; round <= 3; round++) {
    for (let reload = 1; reload <= 4; reload++) {
      project.write({ 'agentserver.config.ts': CONFIG(EACH_SECOND, round * 10 + reload) })
      await setTimeout(450)
    }
    await server.kill('SIGKILL')
    await setTimeout(1200)
    server = await project.serve('dev')
  }
  const before = (await instants(server)).length
  await until(async () => (await instants(server)).length > before)
  const found = await instants(server)
  const first = found[0] ?? 0
  expect(found).toEqual(found.map((_, index) => first + index * 1000))
})

it('the commands list schedules and trigger one, with and without a server', async () => {
  project.write({ 'agentserver.config.ts': CONFIG(`cron: '0 9 * * 1-5', timezone: 'Europe/Berlin'`) })
  const inProcess = await project.json(['trigger-schedule', 'each'])
  expect(inProcess).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
  const server = await project.serve('dev')
  const { value } = await project.json(['list', 'schedules'])
  expect(value).toMatchObject([
    {
      id: 'each',
      workflowId: 'work',
      lastRun: { executionId: inProcess.value.executionId, status: 'completed' },
    },
  ])
  const triggered = await project.run(['trigger-schedule', 'each'])
  expect(triggered.exitCode).toBe(0)
  expect(triggered.stderr + triggered.stdout).toContain('work completed')
  const { stdout } = await project.run(['list', 'schedules'])
  expect(stdout).toMatch(/each +work +0 9 \* \* 1-5 \(Europe\/Berlin\) +\d{4}-\S+T\S+Z +\S+Z completed/)
  const unknown = await project.run(['trigger-schedule', 'eech'])
  expect(unknown.exitCode).not.toBe(0)
  expect(unknown.stderr).toContain('Schedule not found: eech')
  expect(unknown.stderr).toContain('Did you mean "each"?')
  await server.kill('SIGTERM')
})

it.each(['dev', 'start'] as const)('%s --no-schedules starts no executions, and says so', async (command) => {
  const server = project.spawn([command, '--port', '0', '--no-schedules'])
  let output = ''
  server.stdout?.on('data', (text: Buffer) => (output += text.toString()))
  server.stderr?.on('data', (text: Buffer) => (output += text.toString()))
  await until(
    () => output.includes('off: --no-schedules'),
    () => output,
  )
  await setTimeout(1500)
  const { value } = await project.json(['list', 'executions'])
  expect(value).toEqual([])
  server.kill('SIGTERM')
  await server
})

it('dev names the schedules that it runs', async () => {
  const server = project.spawn(['dev', '--port', '0'])
  let output = ''
  server.stdout?.on('data', (text: Buffer) => (output += text.toString()))
  await until(
    () => output.includes('Schedules'),
    () => output,
  )
  expect(output).toMatch(/Schedules +each \(they start executions here\)/)
  server.kill('SIGTERM')
  await server
})

it('a schedule that is not valid is an error of the configuration', async () => {
  project.write({ 'agentserver.config.ts': CONFIG(`cron: '0 25 * * *'`) })
  const { exitCode, stderr } = await project.run(['list', 'schedules'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('cron "0 25 * * *" is not valid: the hour "25" is not one')
})
