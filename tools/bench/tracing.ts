import type { Store } from '../../src/store/store.ts'
import type { TraceChange } from '../../src/store/trace-store.ts'
import { fillStore } from './fill-store.ts'
import { ratio } from './load.ts'
import { pageTime } from './page-time.ts'
import { startServer } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

const SPANS = 200_000
const SPANS_EACH = 5

/** The overhead of traces, and the time to find them. */
export async function tracing(): Promise<Measurement[]> {
  return [await cost('production'), await cost('development'), ...(await pages())]
}

const OFF = {
  'agentserver.config.ts': TRIVIAL['agentserver.config.ts'].replace(
    'workflows: [trivial]',
    'workflows: [trivial], observability: { enabled: false }',
  ),
}

/** In development, the inputs and outputs of steps are recorded too. */
async function cost(mode: 'production' | 'development'): Promise<Measurement> {
  const roots = [makeProject(TRIVIAL), makeProject(OFF)] as const
  const env = { NODE_ENV: mode }
  const on = await startServer('start', { cwd: roots[0], env })
  const off = await startServer('start', { cwd: roots[1], env })
  try {
    const body = { input: { orderId: 'A-1', amount: 12 } }
    const target = ({ url }: typeof on) => ({ url: `${url}/workflows/trivial/execute`, body })
    const execute = await ratio(target(on), target(off), 5)
    return {
      name: `execute 3 steps with traces, over without, in ${mode}`,
      measured: execute.ratio,
      unit: '',
      bar: { atLeast: 0.75 },
      note: `${Math.round(execute.ours)}/s and ${Math.round(execute.theirs)}/s, ${execute.failed} failed`,
    }
  } finally {
    await Promise.all([on.stop(), off.stop()])
    for (const root of roots) removeProject(root)
  }
}

async function pages(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  await fillStore(root, fill)
  const server = await startServer('start', { cwd: root })
  const time = (query: string) => pageTime(`${server.url}/observability/traces?${query}`)
  const page = { unit: 'ms', bar: { atMost: 10 } }
  const of = async (name: string, query: string) => ({ name, measured: await time(query), ...page })
  try {
    return [
      await of('page of 20 traces among 200,000 spans', 'limit=20'),
      await of('… of one workflow', 'workflowId=w3'),
      await of('… of failures of one workflow', 'workflowId=w3&status=error'),
      await of('… of one workflow and a user', 'workflowId=w3&userId=user-7'),
      await of('… by a word', 'q=w3'),
      await of('… by words without a match', 'q=no+such'),
      await of('… of one workflow without a match', 'workflowId=w3&status=running'),
      await of('… by a duration without a match', 'minDurationMs=100000'),
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

async function fill(store: Store): Promise<void> {
  const now = Date.now()
  const traces = SPANS / SPANS_EACH
  for (let done = 0; done < traces; done += 200)
    await store.traces.write(Array.from({ length: 200 }, (_, index) => traceOf(done + index, now - traces)))
}

function traceOf(number: number, since: number): TraceChange {
  const startedAt = since + number
  const workflowId = `w${number % 5}`
  const text = number.toString(16)
  const attributes = {
    'agentserver.step.id': 'one',
    'agentserver.step.input': '{"orderId":"A-1","amount":12}',
  }
  const span = { parentSpanId: null, name: 'step one', kind: 'internal', status: 'ok', attributes }
  const data = JSON.stringify({ ...span, startTime: startedAt, endTime: startedAt + 5 })
  return {
    traceId: text.padStart(32, '0'),
    startedAt,
    endedAt: startedAt + (number % 40),
    name: `invoke_workflow ${workflowId}`,
    kind: 'server',
    status: number % 50 === 3 ? 'error' : 'ok',
    entity: { type: 'workflow', id: workflowId, name: workflowId },
    usage: undefined,
    subjects: [
      ['workflowId', workflowId],
      ['executionId', `execution-${number}`],
      ['userId', `user-${number % 100}`],
    ],
    spans: Array.from({ length: SPANS_EACH }, (_, index) => ({
      spanId: startedAt.toString(16).padStart(12, '0') + index.toString(16).padStart(4, '0'),
      isNew: true,
      data,
    })),
  }
}
