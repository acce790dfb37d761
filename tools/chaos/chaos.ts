import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { CHAOS_FILES, lastCallOf, QUEUED } from './chaos-project.ts'
import { ChaosClient } from './chaos-client.ts'
import { type Effect, effectsOf } from './effects.ts'
import { Machines } from './machines.ts'
import {
  type End,
  type Outage,
  idleBeats,
  overLimit,
  readNotes,
  silences,
  withoutLate,
  wrongAttempts,
  wrongDeletion,
  wrongOrders,
} from './notes.ts'
import { inProject, type ChaosOptions } from './in-project.ts'
import { roundsOn, type Round } from './plan.ts'
import { readViolations, type Verdict } from './verdict.ts'
import { playRounds } from './play-rounds.ts'
import { startServer } from './server.ts'
import { Surroundings } from './surroundings.ts'

export interface ChaosResult extends Verdict {
  readonly executions: number
  /** Of these, those whose events were read as a stream. */
  readonly streams: number
  readonly attempts: number
  readonly ticks: number
  /** Servers that ended by themselves; among the violations, too. */
  readonly ended: readonly string[]
  /** What the servers have printed to stderr. */
  readonly log: string
  /** How often each kind of fault took effect. */
  readonly effects: readonly Effect[]
  /** How many commands beside the server have ended by themselves, and how many were killed. */
  readonly commands: { readonly ended: number; readonly killed: number }
}

/** A process that has noted this often, every 50 ms, that it is alive, and nothing else, will do nothing more. */
const IDLE_BEATS = 600

/**
 * Starts executions of every kind on a server to which the faults of a plan happen, lets the last server complete them, and
 * compares what ran with what was acknowledged, streamed and recorded.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const { plan, onRound, repository } = options
  const { machines: count = 1 } = plan
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const client = new ChaosClient(() =>
    machines.answering.map((number) => `http://127.0.0.1:${ports[number]}`),
  )
  const ends: End[] = []
  const outages: Outage[] = []
  let machines: Machines
  return inProject(CHAOS_FILES, options, async ({ root, database }) => {
    const { env } = database
    const notes = () => readNotes(path.join(root, 'notes.log'))
    let saves = 0
    const acknowledged = () => [...client.acknowledged.keys()]
    const surroundings = new Surroundings({
      root,
      database,
      repository,
      acknowledged,
    })
    const noticed: Effect['kind'][] = []
    machines = new Machines(count, (number, round) => {
      const { faults = [], keep } = round ?? {}
      return startServer({
        root,
        repository,
        port: ports[number] ?? 0,
        machine: number,
        command: faults.some(({ kind }) => kind === 'reload') ? 'dev' : 'start',
        env: { ...env, ...(keep !== undefined && { KEEP: `${keep}` }), ...jumpOf(faults) },
      })
    })
    try {
      const played = await playRounds(
        { rounds: roundsOn(plan.rounds, options.postgres ?? false) },
        {
          client,
          surround: (fault, signal) => surroundings.surround(fault, signal),
          startServer: (round) => machines.start(round),
          machine: (number) => machines.get(number),
          save: () => {
            const [[file, text]] = Object.entries(CHAOS_FILES) as [[string, string]]
            writeFileSync(path.join(root, file), `${text}\n// saved ${++saves} times\n`)
          },
          onRound,
          onEffect: (kind) => void noticed.push(kind),
          onOutage: (outage) => void outages.push(outage),
          onEnd: async (at, { machine = 0, restoreKilledAfterMs }) => {
            ends.push({ at, machine })
            if (restoreKilledAfterMs !== undefined && (await surroundings.restore(restoreKilledAfterMs)))
              noticed.push('restore')
          },
        },
      )
      machines.startLast((machine, at) => void ends.push({ at, machine }))
      const unfinished = await client.finish(() => idleBeats(notes(), count) > IDLE_BEATS)
      const noted = notes()
      const all = count > 1 ? withoutLate(noted) : noted
      const keep = leastKept(plan)
      let ticks = 0
      const read = await readViolations(async function* () {
        yield* client.violations((executionId, workflow) =>
          wrongDeletion(all, { lastCall: lastCallOf(executionId, workflow), keep }),
        )
        const { count, gaps } = await client.ticks(all.map(({ step }) => step))
        ticks = count
        yield* gaps
      })
      const ended = [...played.ended, ...machines.ended]
      const log = readFileSync(path.join(root, 'server.log'), 'utf8')
      return {
        rounds: played.rounds,
        ended,
        timeouts: [...played.timeouts, ...unfinished.timeouts, ...read.timeouts],
        violations: [
          ...ended,
          ...unfinished.violations,
          ...read.violations,
          ...wrongAttempts(all, ends, outages, count > 1 ? silences(noted) : new Map()),
          ...wrongOrders(all),
          ...surroundings.violations,
          ...surroundings.lost({ isDeleted: keep !== undefined }),
          ...overLimit(all, ends, QUEUED),
        ],
        log,
        effects: effectsOf(plan, { noticed, log, postgres: options.postgres ?? false }),
        commands: surroundings.counts,
        executions: client.acknowledged.size,
        streams: client.streams.size,
        attempts: all.filter(({ what }) => what === 'begin').length,
        ticks,
      }
    } finally {
      await machines.kill()
    }
  })
}

/** The environment of a process whose clock jumps. */
function jumpOf(faults: Round['faults']): Readonly<Record<string, string>> {
  const jump = faults.find(({ kind }) => kind === 'jump')
  if (jump?.kind !== 'jump') return {}
  return { NODE_OPTIONS: '--import ./jump.mjs', JUMP_AT: `${jump.at}`, JUMP_BY: `${jump.byMs}` }
}

/** `undefined`: retention keeps everything in all rounds. */
function leastKept({ rounds }: ChaosOptions['plan']): number | undefined {
  const kept = rounds.flatMap(({ keep }) => keep ?? [])
  return kept.length > 0 ? Math.min(...kept) : undefined
}
