import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { load } from './load.ts'
import { memoryOf, processorTimeOf, startServer } from './process.ts'
import type { Running } from './process.ts'
import { REPOSITORY, TRIVIAL, makeProject, removeProject } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Start-up and memory of `dev` on the basic template. */
export async function footprint(): Promise<Measurement[]> {
  const root = path.join(mkdtempSync(path.join(tmpdir(), 'agentserver-bench-')), 'basic')
  cpSync(path.join(REPOSITORY, 'templates/basic'), root, {
    recursive: true,
    filter: (file) => !file.includes('.agentserver'),
  })
  cpSync(makeProject({}), root, { recursive: true, verbatimSymlinks: true, force: false })
  const starts: number[] = []
  let memory = Number.NaN
  for (let turn = 0; turn < 5; turn++) {
    const server = await startServer('dev', { cwd: root })
    starts.push(server.startedIn)
    if (turn === 4) {
      await wait(3000)
      memory = memoryOf(server)
    }
    await server.stop()
  }
  removeProject(root)
  return [
    {
      name: 'cold start of dev on the basic template',
      measured: median(starts),
      unit: 'ms',
      bar: { atMost: 500 },
    },
    { name: 'idle memory of dev on the basic template', measured: memory, unit: 'MB', bar: { atMost: 130 } },
  ]
}

/** Memory and idle processor time after many executions. */
export async function growth(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const server = await startServer('start', { cwd: root })
  const run = (amount: number) =>
    load({ url: `${server.url}/workflows/trivial/execute`, body: { input: {} }, amount })
  try {
    await run(10_000)
    await wait(1000)
    const early = memoryOf(server)
    await run(50_000)
    await wait(3000)
    const late = memoryOf(server)
    return [
      {
        name: 'memory growth from 10,000 to 60,000 executions',
        measured: late - early,
        unit: 'MB',
        bar: { atMost: 30 },
        note: `${early.toFixed(0)} MB, then ${late.toFixed(0)} MB`,
      },
      {
        name: 'idle processor time after them',
        measured: await idleShare(server),
        unit: '%',
        bar: { atMost: 1 },
      },
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

async function idleShare(server: Running): Promise<number> {
  const before = processorTimeOf(server)
  await wait(5000)
  return ((processorTimeOf(server) - before) / 5000) * 100
}
