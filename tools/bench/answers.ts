import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AnswerMemory } from './answer-memory.ts'
import { firstToken } from './agent-streams.ts'
import { load } from './load.ts'
import type { BenchOptions } from './options.ts'
import { processorTimeOf, type Running, startServer } from './process.ts'
import { makeProject, removeProject, REPOSITORY } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const QUESTION = 'Where is the order of last week, and when will it come?'
const ROUNDS = 3
/** Each kind of answers is requested this long, twice in a round. */
const SECONDS = 1
const FIRST_TOKENS = 100
/** The answers that are in progress at the kill. */
const TAKEN_OVER = 100
const TAKE_OVER_MS = 60_000

/** In `HANG`, its calls do not end: the process is killed then. */
const PROJECT = {
  'agentserver.config.ts': `
import { appendFileSync } from 'node:fs'
import { createAgent, createTool, defineConfig, demoModel } from 'agentserver'
import { z } from 'zod'

const order = createTool({
  name: 'order',
  description: 'Where an order is',
  inputSchema: z.object({ question: z.string() }),
  execute: async () => {
    if (process.env.HANG) {
      appendFileSync('called.log', 'x')
      await new Promise(() => {})
    }
    return { status: 'sent' }
  },
})
const common = { name: 'X', instructions: 'Answer.', model: demoModel() }
export default defineConfig({
  agents: [
    createAgent({ ...common, id: 'plain' }),
    createAgent({ ...common, id: 'recorded', resumable: true }),
    createAgent({ ...common, id: 'plain-tool', tools: [order] }),
    createAgent({ ...common, id: 'recorded-tool', tools: [order], resumable: true }),
  ],
})
`,
}

const AGENTS = {
  plain: 'plain answers',
  recorded: 'recorded answers',
  'plain-tool': 'plain answers that call a tool',
  'recorded-tool': 'recorded answers that call a tool',
} as const
type AgentId = keyof typeof AGENTS

/** Against another checkout, a figure may be worse by a tenth: what a busy machine does. */
const AS_MANY = { atLeast: 0.9 }
const AS_LITTLE = { atMost: 1.1 }

interface Reported extends Pick<Measurement, 'bar' | 'note'> {
  /** The target of the ratio to the figure of another checkout. */
  readonly against?: Measurement['bar']
}

/** What is measured of a checkout in one round. */
interface Round {
  readonly perSecond: Readonly<Record<AgentId, number>>
  /** Processor time of one answer, in milliseconds. */
  readonly cpuMs: Readonly<Record<AgentId, number>>
  readonly failed: number
  readonly firstTokenMs: { readonly plain: number; readonly recorded: number }
  readonly memory: AnswerMemory
  /** From the first response of the new process until the last of the answers, in milliseconds. */
  readonly takeOverMs: number
}

/**
 * Plain and recorded answers: per second, memory, first token, and take-over after kill -9. With `against`, another checkout
 * takes turns, and the ratios to it have targets; its `dist` must be built.
 */
export async function answers({ against, rounds: count = ROUNDS }: BenchOptions): Promise<Measurement[]> {
  const repositories = [REPOSITORY, ...(against === undefined ? [] : [path.resolve(against)])]
  const measured: Round[][] = []
  for (let round = 0; round < count; round++) {
    process.stderr.write(`answers: round ${round + 1} of ${count}\n`)
    // each is first as often as the other
    const inTurn = round % 2 === 0 ? repositories : repositories.toReversed()
    const rounds = await measure(inTurn)
    measured.push(round % 2 === 0 ? rounds : rounds.toReversed())
  }
  const ours = measured.flatMap(([own]) => own ?? [])
  const theirs = measured.flatMap(([, other]) => other ?? [])
  const report = (
    name: string,
    unit: string,
    value: (round: Round) => number,
    { against: bar, ...more }: Reported = {},
  ): Measurement[] => {
    const own: Measurement = { name, measured: median(ours.map(value)), unit, ...more }
    if (theirs.length === 0 || bar === undefined) return [own]
    const other = median(theirs.map(value))
    const ratio = median(ours.map((round, index) => value(round) / value(theirs[index] as Round)))
    const note = `of ${other.toPrecision(4)} ${unit}`.trim()
    return [own, { name: '… over the other checkout', measured: ratio, unit: '', note, bar }]
  }
  const ids = Object.keys(AGENTS) as AgentId[]
  return [
    ...ids.flatMap((id) => report(AGENTS[id], '/s', ({ perSecond }) => perSecond[id], { against: AS_MANY })),
    ...ids.flatMap((id) =>
      report(`${AGENTS[id]}: processor time of one`, 'ms', ({ cpuMs }) => cpuMs[id], { against: AS_LITTLE }),
    ),
    ...report(
      'answers without tools: recorded over plain, per second',
      '',
      ({ perSecond }) => perSecond.recorded / perSecond.plain,
      { bar: { atLeast: 0.9 } },
    ),
    ...report(
      'answers that call a tool: recorded over plain, per second',
      '',
      ({ perSecond }) => perSecond['recorded-tool'] / perSecond['plain-tool'],
      { bar: { atLeast: 0.9 } },
    ),
    failedRequests(ours),
    ...report('first token of a plain answer', 'ms', ({ firstTokenMs }) => firstTokenMs.plain, {
      against: AS_LITTLE,
    }),
    ...report('first token of a recorded answer', 'ms', ({ firstTokenMs }) => firstTokenMs.recorded, {
      against: AS_LITTLE,
    }),
    ...report('1,000 open plain answers: memory of one', 'kB', ({ memory }) => memory.plain / 1024, {
      against: AS_LITTLE,
    }),
    ...report('1,000 open recorded answers: memory of one', 'kB', ({ memory }) => memory.recorded / 1024, {
      against: AS_LITTLE,
    }),
    ...report(
      '1,000 open answers: memory of recorded ones over plain ones',
      '',
      ({ memory }) => memory.recorded / memory.plain,
      { bar: { atMost: 1.3 } },
    ),
    ...report(
      'kill -9, start, 100 recorded answers taken over and completed',
      'ms',
      ({ takeOverMs }) => takeOverMs,
      { note: 'from the first response of the new process', against: AS_LITTLE },
    ),
  ]
}

function failedRequests(rounds: readonly Round[]): Measurement {
  const measured = Math.max(...rounds.map(({ failed }) => failed))
  return { name: 'failed requests', measured, unit: '', bar: { atMost: 0 } }
}

/** Measures each figure of all checkouts before the next one: what else the machine does affects them alike. */
async function measure(repositories: readonly string[]): Promise<Round[]> {
  const places = repositories.map((repository) => ({ repository, root: makeProject(PROJECT, repository) }))
  try {
    const served = await rates(places)
    const rounds: Round[] = []
    for (const [index, { repository, root }] of places.entries())
      rounds.push({
        ...(served[index] as Rates),
        memory: await memoryOfAnswers(repository),
        takeOverMs: await takeOver(root, repository),
      })
    return rounds
  } finally {
    for (const { root } of places) removeProject(root)
  }
}

interface Place {
  readonly repository: string
  readonly root: string
}

type Rates = Pick<Round, 'perSecond' | 'cpuMs' | 'failed' | 'firstTokenMs'>

interface Loaded {
  readonly perSecond: number
  readonly total: number
  readonly failed: number
  /** Processor time of the server. */
  readonly cpuMs: number
}

function byAgent<T>(of: (id: AgentId) => T): Record<AgentId, T> {
  return Object.fromEntries((Object.keys(AGENTS) as AgentId[]).map((id) => [id, of(id)])) as Record<
    AgentId,
    T
  >
}

async function rates(places: readonly Place[]): Promise<Rates[]> {
  const servers: Running[] = []
  try {
    for (const { root, repository } of places)
      servers.push(await startServer('start', { cwd: root, repository }))
    const ids = Object.keys(AGENTS) as AgentId[]
    const text = ({ url }: Running, id: AgentId) => ({
      url: `${url}/agents/${id}/text`,
      body: { input: QUESTION },
    })
    for (const server of servers) for (const id of ids) await load({ ...text(server, id), seconds: 1 })
    const found = servers.map(() => ({
      loads: byAgent((): Loaded[] => []),
      tokens: { plain: [] as number[], recorded: [] as number[] },
    }))
    // forth and back: a machine that becomes slower, or faster, affects all kinds alike
    for (const id of [...ids, ...ids.toReversed()])
      for (const [index, own] of found.entries()) {
        const server = servers[index] as Running
        const before = processorTimeOf(server)
        const loaded = await load({ ...text(server, id), seconds: SECONDS })
        own.loads[id].push({ ...loaded, cpuMs: processorTimeOf(server) - before })
      }
    for (let request = 0; request < FIRST_TOKENS; request++)
      for (const id of ['plain', 'recorded'] as const)
        for (const [index, { tokens }] of found.entries())
          tokens[id].push(await firstToken(`${servers[index]?.url}/agents/${id}/stream`, QUESTION))
    const late = (times: readonly number[]) => median(times.slice(FIRST_TOKENS / 4))
    const sum = (loads: readonly Loaded[], of: (loaded: Loaded) => number) =>
      loads.reduce((total, loaded) => total + of(loaded), 0)
    return found.map(({ tokens, loads }) => ({
      perSecond: byAgent((id) => sum(loads[id], ({ perSecond }) => perSecond) / loads[id].length),
      cpuMs: byAgent((id) => sum(loads[id], ({ cpuMs }) => cpuMs) / sum(loads[id], ({ total }) => total)),
      failed: sum(Object.values(loads).flat(), ({ failed }) => failed),
      firstTokenMs: { plain: late(tokens.plain), recorded: late(tokens.recorded) },
    }))
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function memoryOfAnswers(repository: string): Promise<AnswerMemory> {
  const args = [path.join(import.meta.dirname, '../main.js'), 'bench/answer-memory.ts', repository]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as AnswerMemory
}

/** Answers whose process is killed while their tools run: a new one calls the tools again, and completes the answers. */
async function takeOver(root: string, repository: string): Promise<number> {
  const log = path.join(root, 'called.log')
  const first = await startServer('start', { cwd: root, repository, env: { HANG: 'true' } })
  const chats = Array.from({ length: TAKEN_OVER }, (_, index) =>
    fetch(`${first.url}/agents/recorded-tool/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: `chat-${index}`,
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: QUESTION }] }],
      }),
    }),
  )
  await Promise.all(chats)
  while (!existsSync(log) || readFileSync(log, 'utf8').length < TAKEN_OVER) await wait(10)
  await first.stop('SIGKILL')
  const startedAt = performance.now()
  const second = await startServer('start', { cwd: root, repository })
  try {
    while (await isRunning(second)) {
      if (performance.now() - startedAt > TAKE_OVER_MS) throw new Error('The answers were not taken over')
      await wait(5)
    }
    return performance.now() - startedAt - second.startedIn
  } finally {
    await second.stop()
  }
}

async function isRunning({ url }: Running): Promise<boolean> {
  const response = await fetch(`${url}/agents/recorded-tool/history?status=running&limit=1`)
  const { data } = (await response.json()) as { data: unknown[] }
  return data.length > 0
}
