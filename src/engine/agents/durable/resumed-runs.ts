import type { Logger } from 'pino'
import type { Agent } from '../../../agent/agent.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { EventHub } from '../../../lib/async/event-hub.ts'
import { AppError, messageOf } from '../../../lib/errors.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { JobResult } from '../../../store/dispatcher.ts'
import type { Store } from '../../../store/store.ts'
import type { Registry } from '../../registry.ts'
import { whenAvailable } from '../../database-outage.ts'
import { afterCrash } from '../../../store/crash.ts'
import { MAX_CRASHES } from '../../run/trials.ts'
import type { Trials } from '../../run/trials.ts'
import { CrashLoopError } from '../../run/errors.ts'
import { readCallerSchema } from '../../../lib/schema/caller-schema.ts'
import type { RunningAnswers } from '../running-answers.ts'
import { type ClaimedRun, claimRun } from './earlier-run.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { formatOf } from './road-formats.ts'

interface ResumedRunsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly hub: EventHub
  readonly trials: Trials
  readonly running: RunningAnswers
  readonly answers: KeptAnswers
  /** The current agents, held until released. */
  readonly hold: () => { readonly registry: Registry; release(): void }
}

/** Continues the answers to clients whose processes have ended. */
export class ResumedRuns {
  readonly #deps: ResumedRunsDeps

  constructor(deps: ResumedRunsDeps) {
    this.#deps = deps
  }

  /** Continues the answer `id` of the owner `from`, unless that has another owner by now. */
  async continue(id: string, from: number): Promise<JobResult> {
    const { store, hold, running } = this.#deps
    const [row] = await store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    if (row?.status !== 'running' || row.ownerEpoch !== from || running.live.has(id)) return 'done'
    const held = hold()
    const agent = held.registry.agents.find((each) => each.id === row.agentId)
    let continued: Promise<void> | undefined
    try {
      const crash = agent ? await store.dispatcher.crashOf(from) : 'none'
      const known = row.trial === 'waiting' ? row : afterCrash(row, crash)
      const claimed = agent && (await claimRun(store.agentRuns, { ...row, ...known }))
      if (claimed) continued = this.#continue(agent, claimed)
    } finally {
      void Promise.resolve(continued).then(() => held.release())
    }
    return agent ? 'done' : 'elsewhere'
  }

  async #continue(agent: Agent, claimed: ClaimedRun): Promise<void> {
    const { crashes } = claimed.row
    try {
      if (crashes >= MAX_CRASHES) throw new CrashLoopError(`agent "${agent.id}"`, crashes)
      await this.#inTurn(claimed.row, () => this.#answer(agent, claimed))
    } catch (error) {
      await this.fail(claimed.row, error)
    }
  }

  /** Generates the answer to its end. Throws only if it could not be started. */
  async #answer(agent: Agent, claimed: ClaimedRun): Promise<void> {
    const { row, continuation } = claimed
    const { road } = continuation
    const { logger, answers, running } = this.#deps
    logger.info({ agentId: agent.id, runId: row.id }, `Continuing an answer of agent "${agent.id}"`)
    const schema = continuation.schema === null ? undefined : readCallerSchema(continuation.schema)
    const { signal } = new AbortController()
    const durable = { road, onRecorded: this.#progressOf(row.id) }
    const started = await running.resume(agent, { ...claimed, schema, signal }, { durable })
    const format = formatOf(road, row)
    // its failure is recorded, and nobody waits for it here
    if (!format) await running.generate(started).catch(() => undefined)
    else {
      const parts = await running.stream(started, format, () => answers.isRead(row.id)).catch(() => undefined)
      if (parts) answers.keep(started.run, parts)
    }
    await started.run.ended
  }

  /** Calls of sub-agents are progress of the run that asked them, too. */
  #progressOf(id: string): () => void {
    const { store, logger } = this.#deps
    let isStored = false
    return () => {
      if (isStored) return
      isStored = true
      store.agentRuns.progress(id).catch((err: unknown) => {
        isStored = false
        logger.warn({ err, runId: id }, 'The progress of an agent run could not be stored')
      })
    }
  }

  /** A run that was in flight at a crash goes on in its trial. */
  async #inTurn(
    { id, agentId, crashes, suspected }: Pick<AgentRunRow, 'id' | 'agentId' | 'crashes' | 'suspected'>,
    work: () => Promise<void>,
  ): Promise<void> {
    const { trials, store, logger } = this.#deps
    const pass = () =>
      void store.agentRuns.pass(id).catch((err: unknown) => {
        logger.warn({ err, runId: id }, 'The trial of an agent run could not be stored')
      })
    const name = `answer ${id} of agent "${agentId}"`
    const turn =
      crashes + suspected > 0 ? trials.join({ id, name, isAgent: true, crashes, suspected, pass }) : undefined
    try {
      await (turn ? turn.ready : trials.held)
      const { signal } = new AbortController()
      if (await whenAvailable(store, () => store.agentRuns.begin(id), signal)) await work()
    } finally {
      turn?.end()
    }
  }

  /** Ends a run that can't go on. */
  async fail(row: AgentRunRow, cause: unknown): Promise<void> {
    const { store, clock, hub, logger } = this.#deps
    logger.warn({ err: cause, agentId: row.agentId, runId: row.id }, 'An agent run could not be continued')
    const isPublic = cause instanceof AppError || cause instanceof CrashLoopError
    const error = isPublic ? messageOf(cause) : 'The answer could not be continued'
    const end = { output: null, usage: null, steps: null, endedAt: clock.now() }
    try {
      await store.agentRuns.finish(row.id, { ...end, status: 'error', error })
    } catch (err) {
      logger.error({ err, runId: row.id }, 'The end of an agent run could not be stored')
    }
    hub.publish(row.id)
  }
}
