import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliProject } from '../../support/project/cli-project.ts'
import type { RunningServer } from '../../support/project/cli-project.ts'

let project: CliProject

beforeEach(() => {
  project = new CliProject({
    'agentserver.config.ts': `
      import { createWorkflow, defineConfig } from 'agentserver'
      const flaky = (id, delayMs) => createWorkflow({ id }).andThen({
        id: 'a',
        retries: { limit: 1, delayMs, maxDelayMs: delayMs },
        execute: ({ attempt }) => {
          if (attempt === 1) throw new Error('again')
          return 'done'
        },
      })
      const flakies = [flaky('short', 2000), flaky('long', 6000), flaky('hour', 3_600_000)]
      const w = createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 'done' })
      export default defineConfig({ workflows: [w, ...flakies], retention: { executions: { days: 30, count: 2 } } })
    `,
    // moves the clock of the process by a number of days
    'shift.mjs': `
      const shift = Number(process.env.SHIFT_DAYS) * 86_400_000
      const { now } = Date
      Date.now = () => now() + shift
      globalThis.Date = new Proxy(Date, {
        construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], self),
      })
    `,
  })
})
afterEach(() => project.end())

const shifted = (days: number) => ({
  env: { NODE_OPTIONS: `--import ${project.path('shift.mjs')}`, SHIFT_DAYS: String(days) },
})

it('a start with a clock that is a year ahead deletes nothing by age, and logs what it deletes', async () => {
  const first = await project.serve('start')
  for (let n = 0; n < 3; n++) await first.post('/workflows/w/execute', { input: {} })
  await first.kill('SIGTERM')
  const second = await project.serve('start', shifted(365))
  await second.waitForOutput('nothing is deleted by age')
  await second.waitForOutput('Retention deleted 1 executions')
  expect((await second.get('/workflows/executions')).data).toHaveLength(2)
})

const accepted = { Prefer: 'respond-async' }
const fail = async (server: RunningServer, id: string) => {
  await server.post(`/workflows/${id}/execute`, { input: {}, options: { executionId: id } }, accepted)
  await expect.poll(async () => JSON.stringify(await record(server, id))).toContain('"willRetry":true')
}
const record = async (server: RunningServer, id: string) =>
  (await server.get(`/workflows/${id}/executions/${id}`)).data
const status = (server: RunningServer, id: string) => async () => (await record(server, id)).status

it('a retry waits at most its delay after a restart with a clock that was set back', async () => {
  const first = await project.serve('start', shifted(10))
  for (const id of ['short', 'long']) await fail(first, id)
  await first.kill('SIGKILL')
  const second = await project.serve('start')
  for (const id of ['short', 'long'])
    await expect.poll(status(second, id), { timeout: 20_000 }).toBe('completed')
})

it('a retry whose time has come while the server was down runs at its start', async () => {
  const first = await project.serve('start')
  await fail(first, 'hour')
  await first.kill('SIGKILL')
  const second = await project.serve('start', shifted(1))
  await expect.poll(status(second, 'hour'), { timeout: 20_000 }).toBe('completed')
})
