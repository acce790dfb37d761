import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../src/contract/endpoints/log.ts'
import type { TraceDetail, TraceSummary } from '../../../src/contract/endpoints/trace.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import type { RunningServer } from '../../support/project/cli-project.ts'

/** The time of which a killed process may lose telemetry. */
const PROMISED_MS = 200
/** Times until the process is killed, at different points of the write cycle. */
const LIVES_MS = [600, 670]
/** If the process did not run for this long on a busy machine, it is tried again. */
const STALL_MS = 40
const TRIES = 4
/** A life has at least so many ticks, however slow the machine is. */
const MIN_TICKS = 150

const WORKFLOWS = `
  import fs from 'node:fs'
  import { createWorkflow } from 'agentserver'
  import { trace } from '@opentelemetry/api'
  const file = new URL('../ticks.log', import.meta.url)
  const isOver = () => fs.existsSync(new URL('../gate', import.meta.url))

  // logs a line and ends a span every few milliseconds, and records the times
  export const order = createWorkflow({ id: 'tick' }).andThen({ id: 'on', execute: async ({ logger }) => {
    const tracer = trace.getTracer('ticks')
    for (let n = 0; !isOver(); n++) {
      tracer.startActiveSpan('tick', { attributes: { n } }, (span) => span.end())
      logger.info({ n }, 'tick')
      fs.appendFileSync(file, Date.now() + '\\n')
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
  } })
  export const broken = createWorkflow({ id: 'quick' }).andThen({ id: 'one', execute: () => 1 })
  export const slow = createWorkflow({ id: 'idle' }).andThen({ id: 'one', execute: () => 1 })
  export const waiting = createWorkflow({ id: 'later' }).andThen({ id: 'one', execute: () => 1 })
`

describe('the telemetry of a killed process', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject({ 'src/workflows.ts': WORKFLOWS })
  })
  afterEach(() => project.end())

  it.each(LIVES_MS)(
    'is stored except for the last 200 ms, after %i ms',
    { timeout: 300_000 },
    async (livesMs) => {
      for (let left = TRIES; ; left--) {
        const { ticks, answered } = await liveAndDie(project, livesMs)
        const died = ticks.at(-1) as number
        const gaps = ticks.map((tick, n) => tick - (ticks[n - 1] ?? tick))
        const stalledMs = gaps.slice(-200).reduce((sum, gap) => sum + Math.max(0, gap - STALL_MS), 0)
        const isFair = stalledMs === 0
        project.openGate()
        const stored = await storedIn(await project.serve('dev'))
        if (!isFair && left > 1) {
          await project.end()
          project = new CliProject({ 'src/workflows.ts': WORKFLOWS })
          continue
        }
        // time in which the process did not run is not part of the promise
        const dueAt = died - PROMISED_MS - stalledMs
        const due = ticks.flatMap((tick, n) => (tick <= dueAt ? n : []))
        if (isFair) expect(due.length).toBeGreaterThan(20)
        expect(due.filter((n) => !stored.logged.has(n))).toEqual([])
        expect(due.filter((n) => !stored.ended.has(n))).toEqual([])
        const whole = answered.filter(({ at }) => at <= dueAt)
        if (isFair) expect(whole.length).toBeGreaterThan(0)
        expect(whole.filter(({ traceId }) => stored.traces.get(traceId) !== 'ok')).toEqual([])
        return
      }
    },
  )
})

interface Life {
  /** The times of its ticks, in milliseconds since the epoch. */
  readonly ticks: readonly number[]
  /** Executions with a response. */
  readonly answered: readonly { readonly at: number; readonly traceId: string }[]
}

async function liveAndDie(project: CliProject, livesMs: number): Promise<Life> {
  const server = await project.serve('dev')
  server.post('/workflows/tick/execute', { input: {} }).catch(() => undefined)
  const answered: Life['answered'][number][] = []
  const ends = Date.now() + livesMs
  const ticks = () =>
    fs.existsSync(project.path('ticks.log')) ? project.read('ticks.log').trim().split('\n') : []
  for (let n = 1; Date.now() < ends || ticks().length < MIN_TICKS; n++) {
    const traceId = n.toString(16).padStart(32, 'e')
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const { status } = await server.post('/workflows/quick/execute', { input: {} }, headers)
    expect(status).toBe(200)
    answered.push({ at: Date.now(), traceId })
    await new Promise((resolve) => setTimeout(resolve, 7))
  }
  await server.kill('SIGKILL')
  return { ticks: ticks().map(Number), answered }
}

async function storedIn(server: RunningServer) {
  const until = `until=${new Date().toISOString()}`
  const logs = (await server.get(`/api/logs?q=tick&limit=1000&${until}`)).data as LogRecord[]
  const summaries = (await server.get('/observability/traces?limit=200')).data as TraceSummary[]
  const ticking = summaries.find(({ name }) => name === 'invoke_workflow tick')
  const { spans } = (await server.get(`/observability/traces/${ticking?.traceId}`)).data as TraceDetail
  await server.kill('SIGKILL')
  return {
    logged: new Set(logs.map(({ attributes }) => attributes['n'])),
    ended: new Set(
      spans
        .filter(({ name, status }) => name === 'tick' && status === 'ok')
        .map((span) => span.attributes['n']),
    ),
    traces: new Map(summaries.map(({ traceId, status }) => [traceId, status])),
  }
}
