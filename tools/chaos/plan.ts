import { z } from 'zod'
import { ROADS } from './agents/agent-project.ts'
import { EXPECTED, POISON } from './chaos-project.ts'
import { seededRandom } from './random.ts'

/**
 * `mixed`: executions under the faults of a process; `harsh`: under those of its surroundings, too; `kills`: under `kill -9`
 * only; `agents`: answers of agents under `kill -9`; `machines`: executions on two or three machines, of which one after the
 * other ends or hangs.
 */
export const MODES = ['mixed', 'harsh', 'kills', 'agents', 'machines'] as const
export type Mode = (typeof MODES)[number]

const ms = z.int().nonnegative()
const machine = z.int().nonnegative()

/** What happens to the server, `at` milliseconds after the round's `since`. */
const Fault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('kill'), at: ms }).describe('kill -9'),
  z
    .strictObject({ kind: z.literal('terminate'), at: ms, graceMs: ms })
    .describe('SIGTERM, and kill -9 unless the process has ended after `graceMs`'),
  z
    .strictObject({ kind: z.literal('pause'), at: ms, forMs: ms, machine: machine.optional() })
    .describe('SIGSTOP, and SIGCONT after `forMs`, of the machine; by default that of the round'),
  z
    .strictObject({ kind: z.literal('reload'), at: ms, times: ms, everyMs: ms })
    .describe('The configuration is saved `times` times, once every `everyMs`'),
  z
    .strictObject({ kind: z.literal('files'), at: ms, forMs: ms })
    .describe('The process can open no more files and connections, for `forMs`'),
  z
    .strictObject({ kind: z.literal('full'), at: ms, forMs: ms })
    .describe('No file can be written, as on a full disk, for `forMs`. SQLite only'),
  z
    .strictObject({ kind: z.literal('missing'), at: ms, forMs: ms })
    .describe('The file of the database is moved away, and back after `forMs`. SQLite only'),
  z
    .strictObject({ kind: z.literal('replaced'), at: ms, forMs: ms, by: z.enum(['backup', 'empty']) })
    .describe(
      'Another file is in the place of the database, a backup of before or an empty one, for `forMs`. SQLite only',
    ),
  z
    .strictObject({ kind: z.literal('backup'), at: ms, killedAfterMs: ms.optional() })
    .describe('A backup begins, and is killed unless it has ended after `killedAfterMs`. SQLite only'),
  z
    .strictObject({ kind: z.literal('cut'), at: ms, forMs: ms })
    .describe('The connections to the database break, and none can be made for `forMs`. Postgres only'),
  z
    .strictObject({ kind: z.literal('restart'), at: ms, forMs: ms })
    .describe(
      'The database server stops, and starts after `forMs`. Only a Postgres that was started for the plan',
    ),
  z
    .strictObject({ kind: z.literal('jump'), at: ms, byMs: z.int() })
    .describe('The clock of the process jumps by `byMs`. The next process has the clock of the system again'),
  z
    .strictObject({ kind: z.literal('poison'), at: ms, graceMs: ms })
    .describe(
      'A step is started that ends its process whenever it runs. SIGKILL unless the process has ended after `graceMs`',
    ),
])
export type Fault = z.infer<typeof Fault>

const SQLITE_ONLY: ReadonlySet<string> = new Set(['full', 'missing', 'replaced', 'backup'])
const POSTGRES_ONLY: ReadonlySet<string> = new Set(['cut', 'restart'])

/** Whether a fault can happen to a store. */
function happensOn({ kind }: Pick<Fault, 'kind'>, postgres: boolean): boolean {
  return !(postgres ? SQLITE_ONLY : POSTGRES_ONLY).has(kind)
}

/** Rounds without the faults that can't happen to a store: nothing excuses what is seen at their times. */
export function roundsOn(rounds: readonly Round[], postgres: boolean): Round[] {
  return rounds.map((round) => ({
    ...round,
    faults: round.faults.filter((fault) => happensOn(fault, postgres)),
  }))
}

/** One life of the server. */
const Round = z.strictObject({
  since: z
    .enum(['start', 'acknowledgement'])
    .describe(
      'What the times of the faults count from: the start of the process, or its first acknowledgement',
    ),
  faults: z
    .array(Fault)
    .min(1)
    .readonly()
    .describe('The last one, a `kill`, a `terminate` or a `poison`, ends it'),
  starts: z.array(z.string()).readonly().describe('What is started: workflows, or deliveries of answers'),
  streams: z.array(z.string()).readonly().describe('Those of `starts` whose events are read as a stream'),
  machine: machine
    .optional()
    .describe('The number of the machine that the faults happen to. The others live on. Default: 0'),
  keep: z
    .int()
    .positive()
    .optional()
    .describe('The number of ended executions that retention keeps; it deletes the others'),
  restoreKilledAfterMs: ms
    .optional()
    .describe(
      'After the end of the process the database is backed up and restored; the restore is killed unless it has ended by then. SQLite only',
    ),
})
export type Round = z.infer<typeof Round>

/** All that a run of chaos does to a server. A seed determines it. */
export const Plan = z.strictObject({
  seed: z.int(),
  mode: z.enum(MODES),
  machines: z.int().min(1).max(3).optional().describe('On one database. Default: 1'),
  rounds: z.array(Round).min(1).readonly(),
})
export type Plan = z.infer<typeof Plan>

/** The longest time from the start of the process, or from its first acknowledgement, to its end, in milliseconds. */
const MAX_LIFE_MS = 1500

/** The faults that end the process. */
export const ENDING: ReadonlySet<Fault['kind']> = new Set(['kill', 'terminate', 'poison'])

/** Fewer executions than a few rounds leave. */
const KEEP = 60

export function drawPlan(seed: number, rounds: number, mode: Mode): Plan {
  const random = seededRandom(seed)
  if (mode === 'machines') return drawMachines(seed, rounds, random)
  const draw = { mixed: mixedRound, harsh: harshRound, kills: killRound(0.25), agents: agentRound }[mode]
  return { seed, mode, rounds: Array.from({ length: rounds }, () => draw(random)) }
}

type Random = () => number

/** Longer than a machine may be silent before others take it for dead. */
const MAX_PAUSE_MS = 6000

function drawMachines(seed: number, count: number, random: Random): Plan {
  const machines = random() < 0.5 ? 2 : 3
  const rounds = Array.from({ length: count }, () => machinesRound(random, machines))
  return { seed, mode: 'machines', machines, rounds }
}

/** A round in which one machine ends, and another one may hang. */
function machinesRound(random: Random, machines: number): Round {
  const ended = between(random, 0, machines)
  const other = (ended + between(random, 1, machines)) % machines
  const starts = shuffled(STARTS, random)
  const streams = starts.filter(() => random() < 0.5)
  const last = { ...lastFault(random), at: between(random, 0, 2 * MAX_LIFE_MS) }
  const at = () => between(random, 0, last.at)
  const pause = (): Fault => ({ kind: 'pause', at: at(), forMs: between(random, 100, MAX_PAUSE_MS) })
  const drawn: readonly (readonly [share: number, draw: () => Fault])[] = [
    [0.4, () => ({ ...pause(), machine: other })],
    [0.1, () => pause()],
    [0.1, () => ({ kind: 'cut', at: at(), forMs: between(random, 50, 800) })],
  ]
  const faults = drawn.flatMap(([share, draw]) => (random() < share ? draw() : []))
  return { since: 'acknowledgement', faults: [...faults, last], starts, streams, machine: ended }
}

/** The workflows that every round starts. */
const STARTS = Object.keys(EXPECTED).filter((workflow) => workflow !== POISON)

const between = (random: Random, from: number, to: number) => Math.floor(from + random() * (to - from))

/** A round that ends with a kill. The share `inStart` of them may be killed while they start. */
function killRound(inStart: number): (random: Random) => Round {
  return (random) => ({
    since: random() < inStart ? 'start' : 'acknowledgement',
    faults: [{ kind: 'kill', at: between(random, 0, MAX_LIFE_MS) }],
    starts: STARTS,
    streams: [],
  })
}

function agentRound(random: Random): Round {
  return { ...killRound(0.2)(random), starts: ROADS }
}

function mixedRound(random: Random): Round {
  const { since, faults: kill } = killRound(0.25)(random)
  const prunes = random() < 0.25
  const starts = shuffled(STARTS, random)
  const streams = starts.filter(() => random() < 0.5)
  const common = { since, starts, streams, ...(prunes && { keep: KEEP }) }
  // a process that starts does nothing yet that these could disturb
  if (since === 'start') return { ...common, faults: kill }
  const last = lastFault(random)
  return { ...common, faults: [...disturbances(random, last.at), last] }
}

/** A short life starts only the first of them; over the rounds, each is among these. */
function shuffled(list: readonly string[], random: Random): string[] {
  const keyed = list.map((one) => ({ one, key: random() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one)
}

/** In this time a server notices what happens to its files and its database, in milliseconds. */
const NOTICED_MS = 3000

/** A round of `mixed`, with faults of the surroundings of the process. */
function harshRound(random: Random): Round {
  const round = mixedRound(random)
  const restores = random() < 0.1
  const common = { ...round, ...(restores && { restoreKilledAfterMs: between(random, 0, 1500) }) }
  if (round.since === 'start') return common
  const before = round.faults.slice(0, -1)
  const drawn = round.faults.at(-1) as Fault
  // a server notices within seconds what happens to its surroundings: half of the lives are that long
  const at = drawn.at + (random() < 0.5 ? NOTICED_MS : 0)
  const last: Fault = random() < 0.05 ? { kind: 'poison', at, graceMs: 2000 } : { ...drawn, at }
  return { ...common, faults: [...before, ...surroundings(random, last.at), last] }
}

/** Faults that a process survives, each in a part of the rounds. */
function surroundings(random: Random, end: number): Fault[] {
  const forMs = () => between(random, 50, NOTICED_MS)
  const drawn: readonly (readonly [share: number, draw: (at: number) => Fault])[] = [
    [0.12, (at) => ({ kind: 'files', at, forMs: forMs() })],
    [0.12, (at) => ({ kind: 'full', at, forMs: forMs() })],
    [0.08, (at) => ({ kind: 'missing', at, forMs: forMs() })],
    [0.08, (at) => ({ kind: 'replaced', at, forMs: forMs(), by: random() < 0.5 ? 'backup' : 'empty' })],
    [0.12, (at) => ({ kind: 'backup', at, killedAfterMs: between(random, 0, 1500) })],
    [0.06, (at) => ({ kind: 'backup', at })],
    [0.15, (at) => ({ kind: 'cut', at, forMs: forMs() })],
    [0.06, (at) => ({ kind: 'restart', at, forMs: forMs() })],
    [0.1, (at) => ({ kind: 'jump', at, byMs: between(random, -4000, 4000) })],
  ]
  return drawn.flatMap(([share, draw]) => (random() < share ? draw(between(random, 0, end)) : []))
}

/** Up to two faults that a process survives, before its end. */
function disturbances(random: Random, end: number): Fault[] {
  const at = () => between(random, 0, end)
  return [
    ...(random() < 0.3 ? [{ kind: 'pause', at: at(), forMs: between(random, 100, 2000) } as const] : []),
    ...(random() < 0.3
      ? [
          {
            kind: 'reload',
            at: at(),
            times: between(random, 2, 8),
            everyMs: between(random, 20, 150),
          } as const,
        ]
      : []),
  ]
}

function lastFault(random: Random): Fault {
  const at = between(random, 0, MAX_LIFE_MS)
  return random() < 0.6 ? { kind: 'kill', at } : { kind: 'terminate', at, graceMs: between(random, 0, 1000) }
}

/** One line for each round. */
export function textOf({ rounds }: Plan): string {
  return rounds.map((round, index) => `round ${index}: ${roundText(round)}\n`).join('')
}

function roundText({ since, faults, streams, keep, restoreKilledAfterMs, machine }: Round): string {
  const parts = [
    `${faults.map(faultText).join(', ')} after its ${since === 'start' ? 'start' : 'first acknowledgement'}`,
    ...(machine === undefined ? [] : [`of machine ${machine}`]),
    ...(streams.length > 0 ? [`streams ${streams.join(', ')}`] : []),
    ...(keep === undefined ? [] : [`keeps ${keep} ended executions`]),
    ...(restoreKilledAfterMs === undefined
      ? []
      : [`restored after its end, killed after ${restoreKilledAfterMs} ms`]),
  ]
  return parts.join('; ')
}

function faultText(fault: Fault): string {
  const { kind, at } = fault
  switch (kind) {
    case 'kill':
      return `killed at ${at} ms`
    case 'terminate':
      return `terminated at ${at} ms and killed ${fault.graceMs} ms later`
    case 'pause':
      return `${fault.machine === undefined ? '' : `machine ${fault.machine} `}paused at ${at} ms for ${fault.forMs} ms`
    case 'reload':
      return `reloaded ${fault.times} times from ${at} ms on, every ${fault.everyMs} ms`
    case 'files':
      return `without descriptors at ${at} ms for ${fault.forMs} ms`
    case 'full':
      return `on a full disk at ${at} ms for ${fault.forMs} ms`
    case 'missing':
      return `without the file of its database at ${at} ms for ${fault.forMs} ms`
    case 'replaced':
      return `with ${fault.by === 'empty' ? 'an empty file' : 'a backup'} in the place of its database at ${at} ms for ${fault.forMs} ms`
    case 'backup':
      return `backed up at ${at} ms${fault.killedAfterMs === undefined ? '' : `, the backup killed after ${fault.killedAfterMs} ms`}`
    case 'restart':
      return `its database server stopped at ${at} ms for ${fault.forMs} ms`
    case 'cut':
      return `cut from its database at ${at} ms for ${fault.forMs} ms`
    case 'jump':
      return `its clock moved by ${fault.byMs} ms at ${at} ms`
    case 'poison':
      return `poisoned at ${at} ms, killed ${fault.graceMs} ms later`
  }
}
