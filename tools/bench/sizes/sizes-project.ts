import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { processorTimeOf, startServer } from '../process.ts'
import type { Running } from '../process.ts'
import { makeProject, removeProject } from '../project.ts'

const CONSOLE_KEY = 'key-of-the-sizes-bench'
/** A server rests when it has used at most this processor time within this time, both in milliseconds. */
const REST = { busyMs: 50, withinMs: 500 }
/** On a busy machine, a server that does nothing may use more. */
const MAX_LOOKS = 10
const POLL_MS = 100
/** Without any progress. An execution of 100,000 events takes minutes on a busy machine. */
const STUCK_MS = 900_000

/** The file whose existence ends the steps of `holds`. */
export const RELEASE_FILE = 'release'

const projectFor = (records: number) => ({
  'agentserver.config.ts': `
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const echo = ({ data }) => data
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'one', execute: echo })
  .andThen({ id: 'two', execute: echo })
  .andThen({ id: 'three', execute: echo })
const calls = createWorkflow({
  id: 'calls',
  inputSchema: z.object({ calls: z.int(), atOnce: z.int() }),
  run: async ({ input, step }) => {
    for (let first = 0; first < input.calls; first += input.atOnce) {
      const numbers = Array.from({ length: Math.min(input.atOnce, input.calls - first) }, (_, n) => first + n)
      await Promise.all(numbers.map((n) => step.run('call-' + n, () => n)))
    }
    return input
  },
})
const large = createWorkflow({ id: 'large' })
  .andThen({ id: 'make', execute: ({ input }) => ({ text: 'x'.repeat(input.chars) }) })
const suspends = createWorkflow({ id: 'suspends' })
  .andThen({ id: 'ask', execute: ({ suspend, resumeData }) => resumeData ?? suspend('approval') })
const sleeps = createWorkflow({ id: 'sleeps' })
  .andSleepUntil({ id: 'sleep', until: ({ input }) => new Date(input.at) })
  .andThen({ id: 'woken', execute: echo })

let released
async function release() {
  while (!existsSync('${RELEASE_FILE}')) await wait(${POLL_MS})
}
const holds = createWorkflow({ id: 'holds' })
  .andThen({ id: 'hold', execute: async ({ data }) => (await (released ??= release()), data) })

export default defineConfig({
  workflows: [order, calls, large, suspends, sleeps, holds],
  limits: { calls: ${records} },
  retention: { executions: { count: ${records} }, telemetry: { count: ${records} } },
})
`,
})

/** A project for this number of records: nothing of it is deleted meanwhile. */
export async function withSizesProject<T>(records: number, work: (root: string) => Promise<T>): Promise<T> {
  const root = makeProject(projectFor(Math.max(records, 1000)))
  try {
    return await work(root)
  } finally {
    removeProject(root)
  }
}

/** Starts the server of a project, in production, and stops it after `work`. */
export async function withServer<T>(
  root: string,
  work: (server: Running) => Promise<T>,
  options: Pick<Parameters<typeof startServer>[1], 'env' | 'metered'> = {},
): Promise<T> {
  const server = await startServer('start', {
    cwd: root,
    ...options,
    env: { NODE_ENV: 'production', SERVICE_CONSOLE_ACCESS_KEY: CONSOLE_KEY, ...options.env },
  })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** A response, read to its end. Throws unless it is a success. */
export async function read(
  { url }: Pick<Running, 'url'>,
  route: string,
): Promise<{ text: string; headers: Headers }> {
  const response = await fetch(url + route, { headers: { 'x-console-access-key': CONSOLE_KEY } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text.slice(0, 500)}`)
  return { text, headers: response.headers }
}

/** The times of a request that is repeated, in milliseconds; the first turns are not counted. */
export async function timesOf(server: Running, routes: readonly string[], turns: number): Promise<number[]> {
  const times: number[] = []
  for (let turn = -2; turn < turns; turn++)
    for (const route of routes) {
      const startedAt = performance.now()
      await read(server, route)
      if (turn >= 0) times.push(performance.now() - startedAt)
    }
  return times
}

/** Runs a workflow to its end, and returns the path of its record. */
export async function run(server: Running, workflow: string, input: object): Promise<string> {
  const response = await fetch(`${server.url}/workflows/${workflow}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ input }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${workflow} did not start: ${response.status} ${text}`)
  const { data } = JSON.parse(text) as { data: { executionId: string } }
  await untilCount(server, `workflowId=${workflow}&status=completed`, 1)
  return `/workflows/${workflow}/executions/${data.executionId}`
}

/** Waits until there are this many executions of a filter. Throws when some have failed, or none is added for a time. */
export async function untilCount(server: Running, filter: string, count: number): Promise<void> {
  let last = -1
  let changedAt = performance.now()
  while (true) {
    const found = await countOf(server, filter)
    if (found >= count) return
    const failed = await countOf(server, 'status=error')
    if (failed > 0) throw new Error(`${failed} executions have failed`)
    if (found !== last) changedAt = performance.now()
    else if (performance.now() - changedAt > STUCK_MS)
      throw new Error(`${found} of ${count} executions of ${filter}, and no more for ${STUCK_MS / 1000} s`)
    last = found
    await wait(POLL_MS)
  }
}

async function countOf(server: Running, filter: string): Promise<number> {
  const { headers } = await read(server, `/workflows/executions?limit=1&${filter}`)
  return Number(headers.get('x-total-count'))
}

/** Waits until the search index has everything, and the server rests. */
export async function settled(server: Running): Promise<void> {
  const isBehind = async () =>
    !/^agentserver_search_lag_seconds 0$/m.test((await read(server, '/observability/metrics')).text)
  while (await isBehind()) await wait(POLL_MS)
  for (let look = 0, usedMs = Number.POSITIVE_INFINITY; look < MAX_LOOKS && usedMs > REST.busyMs; look++) {
    const before = processorTimeOf(server)
    await wait(REST.withinMs)
    usedMs = processorTimeOf(server) - before
  }
}

/** Size of the database of a project with its write-ahead log, in bytes. */
export function databaseBytes(root: string): number {
  const sizeOf = (name: string) =>
    statSync(path.join(root, '.agentserver', name), { throwIfNoEntry: false })?.size ?? 0
  return sizeOf('data.db') + sizeOf('data.db-wal')
}
