import { afterEach, beforeEach, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import type { RunningServer } from '../support/project/cli-project.ts'

let project: CliProject

beforeEach(() => {
  project = new CliProject({
    'agentserver.config.ts': `
      import { createWorkflow, defineConfig } from 'agentserver'
      const flaky = createWorkflow({ id: 'flaky' }).andThen({
        id: 'a',
        retries: { limit: 1, delayMs: 2000 },
        execute: ({ attempt }) => {
          if (attempt === 1) throw new Error('again')
          return 'done'
        },
      })
      const w = createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 'done' })
      export default defineConfig({ workflows: [w, flaky], retention: { executions: { days: 30, count: 2 } } })
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

it('a retry waits at most its delay after a restart with a clock that was set back', async () => {
  const first = await project.serve('start', shifted(10))
  const accepted = { Prefer: 'respond-async' }
  await first.post('/workflows/flaky/execute', { input: {}, options: { executionId: 'e' } }, accepted)
  const record = async (server: RunningServer) => (await server.get('/workflows/flaky/executions/e')).data
  await expect.poll(async () => JSON.stringify(await record(first))).toContain('"willRetry":true')
  await first.kill('SIGKILL')
  const second = await project.serve('start')
  await expect.poll(async () => (await record(second)).status, { timeout: 20_000 }).toBe('completed')
})
