import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { CHAOS_FILES, EXPECTED_OUTPUTS, QUEUED } from './chaos-project.ts'
import { ChaosClient } from './chaos-client.ts'
import { overLimit, readNotes, wrongAttempts } from './notes.ts'
import { inProject, type ChaosOptions } from './in-project.ts'
import { readViolations, type Verdict } from './verdict.ts'
import { seededRandom } from './random.ts'
import { killRounds } from './kill-rounds.ts'
import { startServer } from './server.ts'

export interface ChaosResult extends Verdict {
  readonly executions: number
  readonly attempts: number
  readonly ticks: number
}

/** The longest time from the start of the process, or from its first response, to its death. */
const MAX_LIFE_MS = 1500

/** The share of the rounds in which the server may be killed while it starts. */
const KILLED_IN_START = 0.25

/**
 * Starts executions of every kind on a server that is killed (`kill -9`) at random instants, lets the last server
 * complete them, and compares what ran with what was acknowledged and recorded.
 */
export async function chaos({ seed, rounds, postgres, onRound }: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(seed)
  const port = await freePort()
  const client = new ChaosClient(`http://127.0.0.1:${port}`, Object.keys(EXPECTED_OUTPUTS))
  const kills: number[] = []
  return inProject(CHAOS_FILES, { postgres }, async ({ root, env }) => {
    const killed = await killRounds({
      rounds,
      random,
      client,
      startServer: () => startServer(root, port, env),
      maxLifeMs: MAX_LIFE_MS,
      killedInStart: KILLED_IN_START,
      onRound,
      onKill: (at) => void kills.push(at),
    })
    const server = startServer(root, port, env)
    try {
      const unfinished = await client.finish()
      let ticks = 0
      const read = await readViolations(async () => {
        const violations = await client.violations(EXPECTED_OUTPUTS)
        const counted = await client.ticks()
        ticks = counted.count
        return [...violations, ...counted.violations]
      })
      const notes = readNotes(path.join(root, 'notes.log'))
      return {
        rounds: killed.rounds,
        timeouts: [...killed.timeouts, ...unfinished, ...read.timeouts],
        violations: [
          ...killed.ended,
          ...read.violations,
          ...wrongAttempts(notes, kills),
          ...overLimit(notes, kills, QUEUED),
        ],
        executions: client.acknowledged.size,
        attempts: notes.filter(({ what }) => what === 'begin').length,
        ticks,
      }
    } finally {
      await server.kill().catch(() => undefined)
    }
  })
}
