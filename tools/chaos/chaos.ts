import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { CHAOS_FILES, lastCallOf, QUEUED } from './chaos-project.ts'
import { ChaosClient } from './chaos-client.ts'
import { type Effect, effectsOf } from './effects.ts'
import {
  type Outage,
  idleBeats,
  overLimit,
  readNotes,
  wrongAttempts,
  wrongDeletion,
  wrongOrders,
} from './notes.ts'
import { inProject, type ChaosOptions } from './in-project.ts'
import type { Round } from './plan.ts'
import { readViolations, type Verdict } from './verdict.ts'
import { playRounds } from './play-rounds.ts'
import { startServer, type Server } from './server.ts'
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
  const port = await freePort()
  const client = new ChaosClient(`http://127.0.0.1:${port}`)
  const ends: number[] = []
  const outages: Outage[] = []
  return inProject(CHAOS_FILES, options, async ({ root, database }) => {
    const { env } = database
    const notes = () => readNotes(path.join(root, 'notes.log'))
    let saves = 0
    const place = { root, port, repository }
    const acknowledged = () => [...client.acknowledged.keys()]
    const surroundings = new Surroundings({
      root,
      database,
      repository,
      acknowledged,
    })
    const noticed: Effect['kind'][] = []
    const played = await playRounds(plan, {
      client,
      surround: (fault, signal) => surroundings.surround(fault, signal),
      startServer: ({ faults, keep }) => {
        const command = faults.some(({ kind }) => kind === 'reload') ? 'dev' : 'start'
        return startServer({
          ...place,
          command,
          env: { ...env, ...(keep !== undefined && { KEEP: `${keep}` }), ...jumpOf(faults) },
        })
      },
      save: () => {
        const [[file, text]] = Object.entries(CHAOS_FILES) as [[string, string]]
        writeFileSync(path.join(root, file), `${text}\n// saved ${++saves} times\n`)
      },
      onRound,
      onEffect: (kind) => void noticed.push(kind),
      onOutage: (outage) => void outages.push(outage),
      onEnd: async (at, { restoreKilledAfterMs }) => {
        ends.push(at)
        if (restoreKilledAfterMs !== undefined && (await surroundings.restore(restoreKilledAfterMs)))
          noticed.push('restore')
      },
    })
    const server = new LastServer(
      () => startServer({ ...place, command: 'start', env }),
      (at) => void ends.push(at),
    )
    try {
      const unfinished = await client.finish(() => idleBeats(notes()) > IDLE_BEATS)
      const all = notes()
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
      const log = readFileSync(path.join(root, 'server.log'), 'utf8')
      return {
        rounds: played.rounds,
        ended: played.ended,
        timeouts: [...played.timeouts, ...unfinished.timeouts, ...read.timeouts],
        violations: [
          ...played.ended,
          ...unfinished.violations,
          ...read.violations,
          ...wrongAttempts(all, ends, outages),
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
      await server.kill()
    }
  })
}

/** A server that is started again when a poison has ended it. */
class LastServer {
  readonly #start: () => Server
  readonly #onEnd: (at: number) => void
  #server: Server | undefined
  #isKilled = false

  constructor(start: () => Server, onEnd: (at: number) => void) {
    this.#start = start
    this.#onEnd = onEnd
    this.#restart()
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    await this.#server?.kill().catch(() => undefined)
  }

  #restart(): void {
    const server = (this.#server = this.#start())
    server.onPoisoned((at) => {
      if (this.#isKilled) return
      this.#onEnd(at)
      this.#restart()
    })
  }
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
