import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../bench/process.ts'
import { makeProject, removeProject } from '../../bench/project.ts'
import type { ChaosOptions } from '../chaos.ts'
import { seededRandom } from '../random.ts'
import { startServer } from '../server.ts'
import { AgentClient } from './agent-client.ts'
import { AGENT_FILES } from './agent-project.ts'
import { ModelServer } from './model-server.ts'
import { repeatedCalls } from './repeated-calls.ts'

export interface AgentChaosResult {
  /** What was promised and did not hold, one line each. */
  readonly violations: readonly string[]
  /** The answers that were generated. */
  readonly runs: number
  /** Calls of models and tools. */
  readonly calls: number
  /** Of these, those that were in progress at a kill, and made again. */
  readonly repeated: number
}

/** The longest time from the start of the process, or from its first response, to its death. */
const MAX_LIFE_MS = 1500

/** The share of the rounds in which the server may be killed while it starts. */
const KILLED_IN_START = 0.2

/** In this time the requests of a killed process reach the model. */
const LATE_MS = 30

/**
 * Asks agents on a server that is killed (`kill -9`) at random instants, lets the last server complete the answers, and
 * compares the calls of models and tools with what had been recorded.
 */
export async function agentChaos({ seed, rounds, onRound }: ChaosOptions): Promise<AgentChaosResult> {
  const random = seededRandom(seed)
  const root = makeProject(AGENT_FILES)
  const file = path.join(root, 'notes.log')
  const port = await freePort()
  const client = new AgentClient(`http://127.0.0.1:${port}`)
  const model = new ModelServer(file)
  const env = { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'local-key-0123456789' }
  try {
    for (let round = 0; round < rounds; round++) {
      onRound?.(round)
      const server = startServer(root, port, env)
      const using = client.use(round)
      if (random() > KILLED_IN_START) await client.acknowledgement()
      await wait(random() * MAX_LIFE_MS)
      const at = await server.kill()
      client.stop()
      await using
      await wait(LATE_MS)
      appendFileSync(file, `${at} kill\n`)
    }
    const server = startServer(root, port, env)
    try {
      await client.finish()
      const notes = existsSync(file) ? readFileSync(file, 'utf8') : ''
      const { violations, calls, repeated, runs } = repeatedCalls(notes)
      return {
        violations: [...(await client.violations(runs)), ...violations],
        runs: runs.length,
        calls,
        repeated,
      }
    } finally {
      await server.kill()
    }
  } finally {
    model.close()
    removeProject(root)
  }
}
