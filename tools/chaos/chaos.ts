import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { CHAOS_FILES, lastCallOf, QUEUED } from './chaos-project.ts'
import { ChaosClient } from './chaos-client.ts'
import { idleBeats, overLimit, readNotes, wrongAttempts, wrongDeletion, wrongOrders } from './notes.ts'
import { inProject, type ChaosOptions } from './in-project.ts'
import { readViolations, type Verdict } from './verdict.ts'
import { playRounds } from './play-rounds.ts'
import { startServer } from './server.ts'

export interface ChaosResult extends Verdict {
  readonly executions: number
  /** Of these, those whose events were read as a stream. */
  readonly streams: number
  readonly attempts: number
  readonly ticks: number
  /** Servers that ended by themselves; among the violations, too. */
  readonly ended: readonly string[]
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
  return inProject(CHAOS_FILES, options, async ({ root, env }) => {
    const notes = () => readNotes(path.join(root, 'notes.log'))
    let saves = 0
    const place = { root, port, repository }
    const played = await playRounds(plan, {
      client,
      startServer: ({ faults, keep }) => {
        const command = faults.some(({ kind }) => kind === 'reload') ? 'dev' : 'start'
        return startServer({
          ...place,
          command,
          env: { ...env, ...(keep !== undefined && { KEEP: `${keep}` }) },
        })
      },
      save: () => {
        const [[file, text]] = Object.entries(CHAOS_FILES) as [[string, string]]
        writeFileSync(path.join(root, file), `${text}\n// saved ${++saves} times\n`)
      },
      onRound,
      onEnd: (at) => void ends.push(at),
    })
    const server = startServer({ ...place, command: 'start', env })
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
      return {
        rounds: played.rounds,
        ended: played.ended,
        timeouts: [...played.timeouts, ...unfinished.timeouts, ...read.timeouts],
        violations: [
          ...played.ended,
          ...unfinished.violations,
          ...read.violations,
          ...wrongAttempts(all, ends),
          ...wrongOrders(all),
          ...overLimit(all, ends, QUEUED),
        ],
        executions: client.acknowledged.size,
        streams: client.streams.size,
        attempts: all.filter(({ what }) => what === 'begin').length,
        ticks,
      }
    } finally {
      await server.kill().catch(() => undefined)
    }
  })
}

/** `undefined`: retention keeps everything in all rounds. */
function leastKept({ rounds }: ChaosOptions['plan']): number | undefined {
  const kept = rounds.flatMap(({ keep }) => keep ?? [])
  return kept.length > 0 ? Math.min(...kept) : undefined
}
