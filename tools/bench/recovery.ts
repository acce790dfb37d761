import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { startServer } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

const EXECUTIONS = 1000

const PROJECT = {
  'agentserver.config.ts': `
import { appendFileSync } from 'node:fs'
import { createWorkflow, defineConfig } from 'agentserver'

const crash = createWorkflow({ id: 'crash' })
  .andThen({ id: 'recorded', execute: async ({ data, executionId }) => (appendFileSync('recorded.log', executionId + '\\n'), data) })
  .andThen({
    id: 'interrupted',
    execute: async ({ data, attempt, executionId }) => {
      appendFileSync('interrupted.log', executionId + '\\n')
      return attempt === 1 ? new Promise(() => {}) : data
    },
  })

export default defineConfig({ workflows: [crash] })
`,
}

/** `kill -9` during a step of a thousand executions, then a new process on the same database. */
export async function recovery(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  const first = await startServer('start', { cwd: root })
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
  for (let started = 0; started < EXECUTIONS; started += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${first.url}/workflows/crash/execute`, { method: 'POST', headers, body: '{"input":{}}' }),
      ),
    )
  }
  const log = path.join(root, 'recorded.log')
  const interrupted = path.join(root, 'interrupted.log')
  while (!existsSync(interrupted) || lines(interrupted).length < EXECUTIONS)
    await new Promise((resolve) => setTimeout(resolve, 10))
  await first.stop('SIGKILL')
  const startedAt = performance.now()
  const second = await startServer('start', { cwd: root })
  const total = async (status: string) => {
    const response = await fetch(`${second.url}/workflows/executions?limit=1&status=${status}`)
    await response.text()
    return Number(response.headers.get('x-total-count'))
  }
  while ((await total('completed')) < EXECUTIONS && performance.now() - startedAt < 20_000) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const seconds = (performance.now() - startedAt) / 1000
  const completed = await total('completed')
  await second.stop()
  const ran = lines(log)
  removeProject(root)
  return [
    {
      name: 'kill -9, start, 1,000 running executions recovered and completed',
      measured: seconds,
      unit: 's',
      bar: { atMost: 2 },
      note: 'from the start of the new process',
    },
    { name: '… of them lost', measured: EXECUTIONS - completed, unit: '', bar: { atMost: 0 } },
    {
      name: '… recorded steps run twice',
      measured: ran.length - new Set(ran).size,
      unit: '',
      bar: { atMost: 0 },
    },
  ]
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n')
}
