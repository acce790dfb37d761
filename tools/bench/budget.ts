import { readFileSync } from 'node:fs'
import path from 'node:path'
import { load } from './load.ts'
import type { LoadOptions } from './load.ts'
import type { BenchOptions } from './options.ts'
import { memoryOf, processorTimeOf, startOther, startServer } from './process.ts'
import type { Running, Usage } from './process.ts'
import { REPOSITORY, makeProject, removeProject } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const ROUNDS = 12
/** In each round. */
const REQUESTS = { execute: 400, 'GET /workflows': 2000, answer: 200 }
const WARM_UP = 3000
const STARTS = 5

/** New objects are not collected while requests are counted: what the heap has grown by is what they have allocated. */
const NO_COLLECTION = ['--min-semi-space-size=1024', '--max-semi-space-size=1024']

const PROJECT = {
  'agentserver.config.ts': `
import { createAgent, createWorkflow, defineConfig, demoModel } from 'agentserver'

const trivial = createWorkflow({ id: 'trivial', name: 'Trivial' })
  .andThen({ id: 'one', execute: async ({ data }) => data })
  .andThen({ id: 'two', execute: async ({ data }) => data })
  .andThen({ id: 'three', execute: async ({ data }) => data })

const demo = createAgent({ id: 'demo', name: 'Demo', instructions: 'Answer.', model: demoModel() })

export default defineConfig({ workflows: [trivial], agents: [demo] })
`,
}

/** What one request may allocate, and how many promises it may make. On a slow machine, what the process does beside it adds a fifth. */
const BUDGET = JSON.parse(readFileSync(path.join(import.meta.dirname, 'budget.json'), 'utf8')) as Readonly<
  Record<string, { readonly allocatedKb: number; readonly promises: number }>
>
const TOLERANCE = 1.3
/** The least counts: what the process does beside the requests is not theirs. */
const COUNTS = 2

type Request = (server: Running) => LoadOptions

const ORDER = { input: { orderId: 'A-1', amount: 12 } }

const REQUESTS_OF = {
  execute: ({ url }) => ({ url: `${url}/workflows/trivial/execute`, body: ORDER }),
  'GET /workflows': ({ url }) => ({ url: `${url}/workflows` }),
  answer: ({ url }) => ({ url: `${url}/agents/demo/text`, body: { input: 'Where is my order?' } }),
} satisfies Record<string, Request>
type Subject = keyof typeof REQUESTS_OF
const SUBJECTS = Object.keys(REQUESTS_OF) as Subject[]

/** What the bare handler does instead: the answer is compared with its execute. */
const BARE: Readonly<Record<Subject, Request>> = {
  execute: ({ url }) => ({ url: `${url}/execute`, body: ORDER }),
  'GET /workflows': ({ url }) => ({ url: `${url}/workflows` }),
  answer: ({ url }) => ({ url: `${url}/execute`, body: ORDER }),
}

/**
 * What an execute, a GET, an answer and a start cost the process of the server, as processor time, allocated bytes, promises and
 * bytes written, and the same of a bare handler, which takes turns with it. With `against`, another checkout takes turns too.
 * What is counted has a target in `budget.json`; processor time, which differs by more than a tenth on a busy machine, has none.
 */
export async function budget({ against, rounds = ROUNDS }: BenchOptions): Promise<Measurement[]> {
  const other = against === undefined ? undefined : path.resolve(against)
  const repositories = [REPOSITORY, ...(other === undefined ? [] : [other])]
  const times = await withServers(repositories, {}, (servers) => processorTimes(servers, rounds))
  const counts = await withServers(repositories, { BENCH_PROMISES: 'true' }, counted)
  return [
    ...SUBJECTS.flatMap((subject) => report(subject, times, counts)),
    ...(await starts(repositories, Math.min(STARTS, rounds))),
  ]
}

/** By subject: of the bare handler, of this checkout, and of another one. */
type Figures<T> = Readonly<Record<Subject, readonly T[]>>

function report(subject: Subject, times: Figures<number[]>, counts: Figures<Usage>): Measurement[] {
  const [bareTimes = [], ...ownTimes] = times[subject]
  const [bareUsage, ...ownUsage] = counts[subject]
  const whose = (index: number) => (index === 0 ? subject : `${subject}, the other checkout`)
  const atMost = (value: number | undefined, index: number) =>
    index === 0 && value !== undefined ? { bar: { atMost: Number((value * TOLERANCE).toPrecision(3)) } } : {}
  const found = ownTimes.flatMap((cpu, index) => {
    const usage = ownUsage[index] as Usage
    const ratio = median(cpu.map((us, round) => us / (bareTimes[round] as number)))
    return [
      {
        name: `${whose(index)}: processor time`,
        measured: median(cpu),
        unit: 'µs',
        note: `bare ${median(bareTimes).toFixed(0)}`,
      },
      { name: '… over the bare handler', measured: ratio, unit: '' },
      {
        name: '… allocated',
        measured: usage.heapBytes / 1024,
        unit: 'kB',
        ...atMost(BUDGET[subject]?.allocatedKb, index),
        note: `bare ${((bareUsage?.heapBytes ?? 0) / 1024).toFixed(1)}`,
      },
      {
        name: '… promises',
        measured: usage.promises,
        unit: '',
        ...atMost(BUDGET[subject]?.promises, index),
        note: `bare ${bareUsage?.promises.toFixed(1)}`,
      },
      {
        name: '… written',
        measured: usage.writtenBytes / 1024,
        unit: 'kB',
        note: `bare ${((bareUsage?.writtenBytes ?? 0) / 1024).toFixed(1)}`,
      },
    ]
  })
  const [own = [], others] = ownTimes
  if (!others) return found
  const ratio = median(own.map((us, round) => us / (others[round] as number)))
  return [...found, { name: `${subject}: processor time over the other checkout`, measured: ratio, unit: '' }]
}

async function withServers<T>(
  repositories: readonly string[],
  env: Readonly<Record<string, string>>,
  measure: (servers: readonly Running[]) => Promise<T>,
): Promise<T> {
  const roots = repositories.map((repository) => makeProject(PROJECT, repository))
  const servers: Running[] = []
  const options = { env, metered: true, flags: env['BENCH_PROMISES'] === undefined ? [] : NO_COLLECTION }
  try {
    servers.push(await startOther('bench/servers/bare.ts', { cwd: roots[0] as string, ...options }))
    for (const [index, repository] of repositories.entries())
      servers.push(await startServer('start', { cwd: roots[index] as string, repository, ...options }))
    return await measure(servers)
  } finally {
    for (const server of servers) await server.stop('SIGKILL')
    for (const root of roots) removeProject(root)
  }
}

const requestOf = (subject: Subject, index: number): Request => (index === 0 ? BARE : REQUESTS_OF)[subject]

/** Microseconds of one request, in each round. */
async function processorTimes(servers: readonly Running[], rounds: number): Promise<Figures<number[]>> {
  const figures = Object.fromEntries(SUBJECTS.map((subject) => [subject, servers.map(() => [] as number[])]))
  for (const subject of SUBJECTS)
    for (const [index, server] of servers.entries())
      await load({ ...requestOf(subject, index)(server), amount: WARM_UP })
  for (let round = 0; round < rounds; round++)
    for (const subject of SUBJECTS)
      for (const [index, server] of inTurn(servers, round)) {
        const used = await usageOf(server, {
          ...requestOf(subject, index)(server),
          amount: REQUESTS[subject],
        })
        figures[subject]?.[index]?.push(used.cpuUs)
      }
  return figures as Record<Subject, number[][]>
}

/** Each is first as often as the others. */
function inTurn<T>(items: readonly T[], round: number): [number, T][] {
  const entries = [...items.entries()]
  return [...entries.slice(round % items.length), ...entries.slice(0, round % items.length)]
}

async function counted(servers: readonly Running[]): Promise<Figures<Usage>> {
  const figures: Record<string, Usage[]> = {}
  for (const subject of SUBJECTS) {
    figures[subject] = []
    for (const [index, server] of servers.entries()) {
      const options = requestOf(subject, index)(server)
      await load({ ...options, amount: REQUESTS[subject] })
      const found: Usage[] = []
      for (let count = 0; count < COUNTS; count++)
        found.push(await usageOf(server, { ...options, amount: REQUESTS[subject] }))
      figures[subject].push(usageBy((key) => Math.min(...found.map((usage) => usage[key]))))
    }
  }
  return figures as Record<Subject, Usage[]>
}

/** What the server has used for one of the requests. */
async function usageOf(server: Running, options: LoadOptions & { readonly amount: number }): Promise<Usage> {
  const before = await server.usage()
  const { failed } = await load(options)
  if (failed > 0) throw new Error(`${failed} requests to ${options.url} failed`)
  const after = await server.usage()
  return usageBy((key) => (after[key] - before[key]) / options.amount)
}

function usageBy(figure: (key: keyof Usage) => number): Usage {
  return {
    cpuUs: figure('cpuUs'),
    heapBytes: figure('heapBytes'),
    promises: figure('promises'),
    writtenBytes: figure('writtenBytes'),
  }
}

async function starts(repositories: readonly string[], rounds: number): Promise<Measurement[]> {
  const found = repositories.map(() => ({ cpu: [] as number[], memory: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const [index, repository] of inTurn(repositories, round)) {
      const root = makeProject(PROJECT, repository)
      const server = await startServer('dev', { cwd: root, repository })
      found[index]?.cpu.push(processorTimeOf(server))
      await new Promise((resolve) => setTimeout(resolve, 3000))
      found[index]?.memory.push(memoryOf(server))
      await server.stop()
      removeProject(root)
    }
  return found.flatMap(({ cpu, memory }, index) => {
    const whose = index === 0 ? 'dev' : 'dev, the other checkout'
    return [
      { name: `${whose}: processor time until it responds`, measured: median(cpu), unit: 'ms' },
      { name: `${whose}: memory when idle`, measured: median(memory), unit: 'MB' },
    ]
  })
}
