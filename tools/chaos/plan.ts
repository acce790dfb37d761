import { z } from 'zod'
import { ROADS } from './agents/agent-project.ts'
import { EXPECTED } from './chaos-project.ts'
import { seededRandom } from './random.ts'

/** `mixed`: executions under all faults; `kills`: under `kill -9` only; `agents`: answers of agents under `kill -9`. */
export const MODES = ['mixed', 'kills', 'agents'] as const
export type Mode = (typeof MODES)[number]

const ms = z.int().nonnegative()

/** What happens to the server, `at` milliseconds after the round's `since`. */
const Fault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('kill'), at: ms }).describe('kill -9'),
  z
    .strictObject({ kind: z.literal('terminate'), at: ms, graceMs: ms })
    .describe('SIGTERM, and kill -9 unless the process has ended after `graceMs`'),
  z
    .strictObject({ kind: z.literal('pause'), at: ms, forMs: ms })
    .describe('SIGSTOP, and SIGCONT after `forMs`'),
  z
    .strictObject({ kind: z.literal('reload'), at: ms, times: ms, everyMs: ms })
    .describe('The configuration is saved `times` times, once every `everyMs`'),
])
export type Fault = z.infer<typeof Fault>

/** One life of the server. */
const Round = z.strictObject({
  since: z
    .enum(['start', 'acknowledgement'])
    .describe(
      'What the times of the faults count from: the start of the process, or its first acknowledgement',
    ),
  faults: z.array(Fault).min(1).readonly().describe('The last one, a `kill` or a `terminate`, ends it'),
  starts: z.array(z.string()).readonly().describe('What is started: workflows, or deliveries of answers'),
  streams: z.array(z.string()).readonly().describe('Those of `starts` whose events are read as a stream'),
  keep: z
    .int()
    .positive()
    .optional()
    .describe('The number of ended executions that retention keeps; it deletes the others'),
})
export type Round = z.infer<typeof Round>

/** All that a run of chaos does to a server. A seed determines it. */
export const Plan = z.strictObject({
  seed: z.int(),
  mode: z.enum(MODES),
  rounds: z.array(Round).min(1).readonly(),
})
export type Plan = z.infer<typeof Plan>

/** The longest time from the start of the process, or from its first acknowledgement, to its end, in milliseconds. */
const MAX_LIFE_MS = 1500

/** Fewer executions than a few rounds leave. */
const KEEP = 60

export function drawPlan(seed: number, rounds: number, mode: Mode): Plan {
  const random = seededRandom(seed)
  const draw = { mixed: mixedRound, kills: killRound(0.25), agents: agentRound }[mode]
  return { seed, mode, rounds: Array.from({ length: rounds }, () => draw(random)) }
}

type Random = () => number

const STARTS = Object.keys(EXPECTED)

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

function roundText({ since, faults, streams, keep }: Round): string {
  const parts = [
    `${faults.map(faultText).join(', ')} after its ${since === 'start' ? 'start' : 'first acknowledgement'}`,
    ...(streams.length > 0 ? [`streams ${streams.join(', ')}`] : []),
    ...(keep === undefined ? [] : [`keeps ${keep} ended executions`]),
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
      return `paused at ${at} ms for ${fault.forMs} ms`
    case 'reload':
      return `reloaded ${fault.times} times from ${at} ms on, every ${fault.everyMs} ms`
  }
}
