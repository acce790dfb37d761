import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { INTERRUPTED_MESSAGE } from '../../../src/engine/agents/agents.ts'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../test/support/process/free-port.ts'
import { type ChaosOptions, inProject } from '../in-project.ts'
import { playRounds } from '../play-rounds.ts'
import { startServer } from '../server.ts'
import { readViolations, type Verdict } from '../verdict.ts'
import { AgentClient } from './agent-client.ts'
import { AGENT_FILES } from './agent-project.ts'
import { ModelServer } from './model-server.ts'
import { mayBeGivenUp, repeatedCalls, timelineOf } from './repeated-calls.ts'

export interface AgentChaosResult extends Verdict {
  /** The answers that were generated. */
  readonly runs: number
  /** Of these, those that waited for an approval or an answer, and went on. */
  readonly decided: number
  /** Streams that were read to their last part. */
  readonly streams: number
  /** Calls of models and tools. */
  readonly calls: number
  /** Of these, those that were in progress at a kill, and made again. */
  readonly repeated: number
  /** Answers that were given up as documented: the kills hit them alone, and before they got on. One line each. */
  readonly givenUp: readonly string[]
}

/** In the error of an answer during which the process was killed too often. */
const GIVEN_UP = 'was running when the process crashed'

/** In this time the requests of a killed process reach the model. */
const LATE_MS = 30

/**
 * Asks agents on a server that is killed (`kill -9`) at random instants, lets the last server complete the answers, and
 * compares the calls of models and tools with what had been recorded.
 */
export async function agentChaos(options: ChaosOptions): Promise<AgentChaosResult> {
  return inProject(AGENT_FILES, options, async ({ root, database: { env } }) => {
    const file = path.join(root, 'notes.log')
    const model = new ModelServer(file)
    const models = { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'local-key-0123456789' }
    try {
      return await killed(options, { root, file, env: { ...env, ...models } })
    } finally {
      model.close()
    }
  })
}

interface AgentPlace {
  readonly root: string
  /** The notes about calls. */
  readonly file: string
  readonly env: Readonly<Record<string, string>>
}

async function killed(
  { plan, onRound }: ChaosOptions,
  { root, file, env }: AgentPlace,
): Promise<AgentChaosResult> {
  const port = await freePort()
  const client = new AgentClient(`http://127.0.0.1:${port}`)
  const start = () => startServer({ command: 'start', root, port, env })
  const kills = await playRounds(plan, {
    client,
    startServer: start,
    save: () => undefined,
    onRound,
    onEnd: async (at) => {
      await wait(LATE_MS)
      appendFileSync(file, `${at} kill\n`)
    },
  })
  const server = start()
  try {
    const unfinished = await client.finish()
    const notes = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const { violations, calls, repeated, runs } = repeatedCalls(notes)
    const read = await readViolations(async function* () {
      yield* await client.violations(runs)
    })
    const all = [...read.violations, ...violations]
    const givenUp = new Set(all.flatMap((one) => (isGivenUp(one, notes) ? [runOf(one)] : [])))
    const shown = all.map((violation) => ({
      text: `${violation}\n${timelineOf(notes, runOf(violation))}`,
      // sub-agents end with the answer that has asked them
      isAllowed: isGivenUp(violation, notes) || givenUp.has(askingRun(violation) ?? ''),
    }))
    return {
      rounds: kills.rounds,
      violations: [...kills.ended, ...shown.filter(({ isAllowed }) => !isAllowed).map(({ text }) => text)],
      givenUp: shown.filter(({ isAllowed }) => isAllowed).map(({ text }) => text),
      timeouts: [...kills.timeouts, ...unfinished, ...read.timeouts],
      runs: runs.length,
      ...client.counts,
      calls,
      repeated,
    }
  } finally {
    await server.kill().catch(() => undefined)
  }
}

/** The run that a violation begins with. */
function runOf(violation: string): string {
  return violation.split(/[ :]/)[0] ?? ''
}

/** The answer that has asked the sub-agent of a run that did not end by itself. */
function askingRun(violation: string): string | undefined {
  return violation.includes(INTERRUPTED_MESSAGE) ? /^(.+)\.member$/.exec(runOf(violation))?.[1] : undefined
}

/** Whether a violation is what the rule for crashes says. */
function isGivenUp(violation: string, notes: string): boolean {
  return violation.includes(GIVEN_UP) && mayBeGivenUp(notes, runOf(violation))
}
