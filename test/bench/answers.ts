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
const SECONDS = 2
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
 * takes turns, round by round; its `dist` must be built.
 */
export async function answers({ against, rounds: count = ROUNDS }: BenchOptions): Promise<Measurement[]> {
  const ours: Round[] = []
  const theirs: Round[] = []
  for (let round = 0; round < count; round++) {
    process.stderr.write(`answers: round ${round + 1} of ${count}\n`)
    // each is first as often as the other
    const turns = [
      async () => void ours.push(await measure(REPOSITORY)),
      async () => void (against !== undefined && theirs.push(await measure(path.resolve(against)))),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  const report = (
    name: string,
    unit: string,
    value: (round: Round) => number,
    more: Pick<Measurement, 'bar' | 'note'> = {},
  ): Measurement => {
    const measured = median(ours.map(value))
    const other = theirs.length === 0 ? undefined : median(theirs.map(value))
    const compared =
      other === undefined
        ? []
        : [`${(measured / other).toFixed(3)} of ${other.toPrecision(4)} ${unit}`.trim()]
    const notes = [...(more.note === undefined ? [] : [more.note]), ...compared]
    return { name, measured, unit, ...more, ...(notes.length > 0 && { note: notes.join('; ') }) }
  }
  const ids = Object.keys(AGENTS) as AgentId[]
  return [
    ...ids.map((id) => report(AGENTS[id], '/s', ({ perSecond }) => perSecond[id])),
    ...ids.map((id) => report(`… ${AGENTS[id]}: processor time of one`, 'ms', ({ cpuMs }) => cpuMs[id])),
    report(
      'answers without tools: recorded over plain, per second',
      '',
      ({ perSecond }) => perSecond.recorded / perSecond.plain,
      { bar: { atLeast: 0.9 } },
    ),
    report(
      'answers that call a tool: recorded over plain, per second',
      '',
      ({ perSecond }) => perSecond['recorded-tool'] / perSecond['plain-tool'],
      { bar: { atLeast: 0.9 } },
    ),
    report('failed requests', '', ({ failed }) => failed, { bar: { atMost: 0 } }),
    report('first token of a plain answer', 'ms', ({ firstTokenMs }) => firstTokenMs.plain),
    report('first token of a recorded answer', 'ms', ({ firstTokenMs }) => firstTokenMs.recorded),
    report('1,000 open plain answers: memory of one', 'kB', ({ memory }) => memory.plain / 1024),
    report('1,000 open recorded answers: memory of one', 'kB', ({ memory }) => memory.recorded / 1024),
    report(
      '1,000 open answers: memory of recorded ones over plain ones',
      '',
      ({ memory }) => memory.recorded / memory.plain,
      { bar: { atMost: 1.3 } },
    ),
    report(
      'kill -9, start, 100 recorded answers taken over and completed',
      'ms',
      ({ takeOverMs }) => takeOverMs,
      {
        note: 'from the first response of the new process',
      },
    ),
  ]
}

async function measure(repository: string): Promise<Round> {
  const root = makeProject(PROJECT, repository)
  try {
    const served = await rates(root, repository)
    return {
      ...served,
      memory: await memoryOfAnswers(repository),
      takeOverMs: await takeOver(root, repository),
    }
  } finally {
    removeProject(root)
  }
}

async function rates(
  root: string,
  repository: string,
): Promise<Pick<Round, 'perSecond' | 'cpuMs' | 'failed' | 'firstTokenMs'>> {
  const server = await startServer('start', { cwd: root, repository })
  const perSecond: Partial<Record<AgentId, number>> = {}
  const cpuMs: Partial<Record<AgentId, number>> = {}
  let failed = 0
  try {
    const text = (id: AgentId) => ({ url: `${server.url}/agents/${id}/text`, body: { input: QUESTION } })
    const ids = Object.keys(AGENTS) as AgentId[]
    for (const id of ids) await load({ ...text(id), seconds: 1 })
    for (const id of ids) {
      const before = processorTimeOf(server)
      const loaded = await load({ ...text(id), seconds: SECONDS })
      perSecond[id] = loaded.perSecond
      cpuMs[id] = (processorTimeOf(server) - before) / loaded.total
      failed += loaded.failed
    }
    const firstTokenMs = {
      plain: await firstTokens(server, 'plain'),
      recorded: await firstTokens(server, 'recorded'),
    }
    return {
      perSecond: perSecond as Round['perSecond'],
      cpuMs: cpuMs as Round['cpuMs'],
      failed,
      firstTokenMs,
    }
  } finally {
    await server.stop()
  }
}

async function firstTokens({ url }: Running, id: AgentId): Promise<number> {
  const times: number[] = []
  for (let request = 0; request < FIRST_TOKENS; request++)
    times.push(await firstToken(`${url}/agents/${id}/stream`, QUESTION))
  return median(times.slice(FIRST_TOKENS / 4))
}

async function memoryOfAnswers(repository: string): Promise<AnswerMemory> {
  const args = [path.join(import.meta.dirname, 'main.js'), 'answer-memory.ts', repository]
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
