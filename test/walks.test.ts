import { readFileSync } from 'node:fs'
import { trace } from '@opentelemetry/api'
import { createAgent, createTool, createWorkflow } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { expect, it, onTestFinished } from 'vitest'
import { findProject } from '../src/config/project.ts'
import { createDeferred } from '../src/lib/async/wake-up.ts'
import { LiveServer } from '../src/server/live-server.ts'
import { ProjectServer } from '../src/server/project/project-server.ts'
import { capturedCalls } from './support/captured-calls.ts'
import { SocketReader } from './support/clients/socket-reader.ts'
import { scripted } from './support/model/scripted.ts'
import { TempProject } from './support/project/temp-project.ts'
import { TestServer } from './support/server/test-server.ts'
import { collectLogs } from './support/telemetry/collect-logs.ts'

const ARCHITECTURE = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')

/** A numbered hop of a walk: `1. `src/file.ts` `Class.method` …`. */
const HOP = /^\d+\. `(src\/[^`]+)` `([^`]+)`/gm

/** The hops of a walk of ARCHITECTURE.md. */
function hopsOf(walk: string): string[] {
  const section = ARCHITECTURE.split(/^##+ /m).find((part) => part.startsWith(`${walk}:`)) ?? ''
  return [...section.matchAll(HOP)].map(([, file, symbol]) => `${file} ${symbol}`)
}

/** The hops of a walk that are called during `work`, in the order of their first calls. */
async function walkedHops(walk: string, work: () => Promise<unknown>): Promise<string[]> {
  const hops = new Set(hopsOf(walk))
  const calls = await capturedCalls(work)
  return calls.filter((call) => hops.has(call))
}

async function serve(config: AgentServerConfig): Promise<TestServer> {
  const server = new TestServer(config)
  onTestFinished(() => server.close())
  await server.ready()
  return server
}

it('execute goes through the hops of its walk', async () => {
  // the clock is an occasion to look at the stack
  const greet = createWorkflow({ id: 'greet' }).andThen({ id: 'greet', execute: () => Date.now() })
  const server = await serve({ workflows: [greet] })
  const walked = await walkedHops('Execute', () => server.execute('greet'))
  expect(walked).toEqual(hopsOf('Execute'))
  expect(walked.length).toBeGreaterThan(10)
  expect(walked.length).toBeLessThanOrEqual(15)
})

it('resume goes through the hops of its walk', async () => {
  const approve = createWorkflow({ id: 'approve' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('approval'),
  })
  const order = createWorkflow({ id: 'order' }).andWorkflow({ id: 'approve', workflow: approve })
  const server = await serve({ workflows: [order] })
  const { executionId } = await server.execute('order')
  const path = `/workflows/order/executions/${executionId}/resume`
  const walked = await walkedHops('Resume', () => server.post(path, { resumeData: 'yes' }))
  expect(walked).toEqual(hopsOf('Resume'))
  expect(walked.length).toBeGreaterThan(5)
  expect(walked.length).toBeLessThanOrEqual(8)
})

it('the stream of an agent goes through the hops of its walk', async () => {
  const look = createTool({
    name: 'look',
    description: 'looks at the clock',
    inputSchema: { type: 'object' },
    execute: () => Date.now(),
  })
  const agent = createAgent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Help.',
    model: scripted({ tool: 'look', input: {} }, 'done'),
    tools: [look],
  })
  const server = await serve({ agents: [agent] })
  const walked = await walkedHops('Agent stream', async () => {
    const response = await server.post('/agents/helper/stream', { input: 'hello' })
    return response.text()
  })
  expect(walked).toEqual(hopsOf('Agent stream'))
  expect(walked.length).toBeGreaterThan(5)
})

it('a saved file goes through the hops of its walk', async () => {
  const config = (revision: number) => ({
    'agentserver.config.js': `export default { database: ':memory:' } // ${revision}`,
  })
  const project = new TempProject({ 'package.json': '{"type":"module"}', ...config(1) })
  const server = new LiveServer({ root: project.root, production: false, logs: collectLogs().logs })
  const reloaded = createDeferred<void>()
  const ignore = () => undefined
  const served = new ProjectServer({
    project: findProject({ cwd: project.root }),
    server,
    mode: 'development',
    reporter: {
      reloaded: () => reloaded.resolve(),
      noLongerFitting: ignore,
      loadFailed: ignore,
      rejected: ignore,
      restartRequired: ignore,
      hint: ignore,
    },
    isOverridden: () => false,
    poll: undefined,
  })
  onTestFinished(async () => {
    await served.close()
    await server.stop()
    project.remove()
  })
  await served.start()
  await served.watching()
  const walked = await walkedHops('Save → served', () => {
    project.write(config(2))
    return reloaded.promise
  })
  expect(walked).toEqual(hopsOf('Save → served'))
  expect(walked.length).toBeGreaterThan(5)
})

it('a span goes through the hops of its walk to the console', async () => {
  const started = createDeferred<string>()
  const watched = createDeferred<void>()
  const traced = createWorkflow({ id: 'traced' }).andThen({
    id: 'wait',
    execute: () => {
      started.resolve(trace.getActiveSpan()?.spanContext().traceId ?? '')
      return watched.promise
    },
  })
  const server = await serve({ workflows: [traced] })
  const { url } = await server.listen()
  const reader = await SocketReader.open(url)
  onTestFinished(() => reader.close())
  await server.startExecution('traced')
  const traceId = await started.promise
  const walked = await walkedHops('Span → console', async () => {
    reader.subscribe(`trace:${traceId}`)
    await reader.settled()
    watched.resolve()
    await reader.received(1)
  })
  expect(walked).toEqual(hopsOf('Span → console'))
  expect(walked.length).toBeGreaterThan(5)
})
