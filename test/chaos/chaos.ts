import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../bench/process.ts'
import { makeProject, removeProject } from '../bench/project.ts'
import { CHAOS_FILES, EXPECTED_OUTPUTS, QUEUED } from './chaos-project.ts'
import { ChaosClient } from './chaos-client.ts'
import { overLimit, readNotes, wrongAttempts } from './notes.ts'
import { seededRandom } from './random.ts'
import { startServer } from './server.ts'

export interface ChaosOptions {
  readonly seed: number
  /** The number of times that the server is killed. */
  readonly rounds: number
  readonly onRound?: (round: number) => void
}

export interface ChaosResult {
  /** What was promised and did not hold, one line each. */
  readonly violations: readonly string[]
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
export async function chaos({ seed, rounds, onRound }: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(seed)
  const root = makeProject(CHAOS_FILES)
  const port = await freePort()
  const client = new ChaosClient(`http://127.0.0.1:${port}`, Object.keys(EXPECTED_OUTPUTS))
  const kills: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      onRound?.(round)
      const server = startServer(root, port)
      const using = client.use(round)
      if (random() > KILLED_IN_START) await client.acknowledgement()
      await wait(random() * MAX_LIFE_MS)
      kills.push(await server.kill())
      client.stop()
      await using
    }
    const server = startServer(root, port)
    try {
      await client.finish()
      const violations = await client.violations(EXPECTED_OUTPUTS)
      const ticks = await client.ticks()
      const notes = readNotes(path.join(root, 'notes.log'))
      return {
        violations: [
          ...violations,
          ...ticks.violations,
          ...wrongAttempts(notes, kills),
          ...overLimit(notes, kills, QUEUED),
        ],
        executions: client.acknowledged.size,
        attempts: notes.filter(({ what }) => what === 'begin').length,
        ticks: ticks.count,
      }
    } finally {
      await server.kill()
    }
  } finally {
    removeProject(root)
  }
}
