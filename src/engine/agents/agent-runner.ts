import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generate.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionQuestion } from '../run/run-context.ts'
import type { Registry } from '../registry.ts'
import { requireDatabase } from '../database-outage.ts'
import { type AgentCall, type ClientCall, userIdOf, withCallerSchema } from './agent-call.ts'
import { type ChatResponses, respondedChat, type RespondedChat } from './chat-responses.ts'
import { objectAnswer, textAnswer } from './agent-records.ts'
import { NO_WAITS } from '../../agent/answer/waiting/pending-calls.ts'
import type { PendingResponses } from '../../agent/answer/waiting/resumed-answer.ts'
import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import { pendingAnswer } from './continuation.ts'
import { respondToRun, type RespondedRun, type RunRef } from './run-responses.ts'
import type { ResumedCall } from './start-run.ts'
import { EXPIRED_MESSAGE } from './expiry.ts'
import { followEndedRuns } from './follow-ended-runs.ts'
import { FAILED_MESSAGE, RunningAnswers, type RunningAnswersDeps } from './running-answers.ts'

export interface AgentRunnerDeps extends RunningAnswersDeps {
  /** The current agents, held until released. */
  readonly hold: () => { readonly registry: Registry; release(): void }
}

/** Responses to the calls that a run waits for. */
export interface RespondCall {
  readonly responses: PendingResponses
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
}

/** The error of a run that an earlier process left unfinished. */
export const INTERRUPTED_MESSAGE = 'The server stopped before the answer was complete'

/** Runs agents for callers of the API and for steps, and records their answers. */
export class AgentRunner {
  readonly #deps: AgentRunnerDeps
  readonly #answers: RunningAnswers

  constructor(deps: AgentRunnerDeps) {
    this.#deps = deps
    this.#answers = new RunningAnswers(deps)
  }

  isRunning(agentId: string): boolean {
    return [...this.#answers.live.values()].some((run) => run.agentId === agentId)
  }

  /** @throws AppError `invalid_input`, `not_found`, `unavailable`, or `execution_failed`. */
  text(agentId: string, call: ClientCall): Promise<AgentAnswer> {
    return this.#forCaller(agentId, call, async (agent) => {
      const started = await this.#answers.start(agent, withCallerSchema(call))
      return textAnswer(await this.#answers.generate(started), started.run)
    })
  }

  /** @throws AppError as `text` does; `invalid_input` also when the schema can't be compiled. */
  object(agentId: string, call: ClientCall): Promise<AgentObject> {
    return this.#forCaller(agentId, call, async (agent) => {
      const started = await this.#answers.start(agent, withCallerSchema(call))
      return objectAnswer(await this.#answers.generate(started), started.run)
    })
  }

  /** Streams the answer part by part. Errors before the first part are thrown as by `text`. */
  stream<Part>(agentId: string, call: ClientCall, format: AnswerFormat<Part>): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const started = await this.#answers.start(agent, withCallerSchema(call))
      keep(started.run.ended)
      return this.#answers.stream(started, format)
    })
  }

  /**
   * Stores responses to calls that a run waits for. Once all have one, the run goes on, and its answer is returned.
   *
   * @throws AppError like `respondToRun`, and like `text`.
   */
  respond(agentId: string, ref: RunRef, call: RespondCall): Promise<AgentAnswer | AgentObject> {
    return this.#forCaller(agentId, call, async (agent) => {
      const responded = await respondToRun(agent, ref, call.responses, this.#deps)
      const { row, continuation } = responded
      if (responded.pending) return textAnswer(pendingAnswer(responded, responded.pending), row)
      const started = await this.#answers.resume(agent, resumedCall(responded, call.signal))
      const answer = await this.#answers.generate(started)
      return continuation.schema !== null && !answer.pending
        ? objectAnswer(answer, row)
        : textAnswer(answer, row)
    })
  }

  /** Like `respond`, with the answer part by part. */
  respondStreamed<Part>(
    agentId: string,
    ref: RunRef,
    { format, ...call }: RespondCall & { readonly format: (isObject: boolean) => AnswerFormat<Part> },
  ): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const responded = await respondToRun(agent, ref, call.responses, this.#deps)
      const { row, continuation, pending } = responded
      const answerFormat = format(continuation.schema !== null)
      if (pending) return one(answerFormat.finished(pendingAnswer(responded, pending), row))
      const started = await this.#answers.resume(agent, resumedCall(responded, call.signal))
      keep(started.run.ended)
      return this.#answers.stream(started, answerFormat)
    })
  }

  /**
   * The run of a conversation that a chat request responds to, if any.
   *
   * @throws AppError like `respondedChat`.
   */
  respondedChat(
    agentId: string,
    call: ClientCall,
    responses: ChatResponses,
  ): Promise<RespondedChat | undefined> {
    const { conversationId = '' } = call.options ?? {}
    const filter = { agentId, conversationId, userId: userIdOf(call) }
    return respondedChat(responses, filter, this.#deps.store)
  }

  /** Answers a request of a step, whose execution holds the code. */
  async ask(agent: Agent, question: ExecutionQuestion): Promise<Generated> {
    const { prompt: input, schema, signal, user, logger, trace, execution } = question
    const { context, userId, conversationId } = question
    const options = { userId, conversationId, context }
    const started = await this.#answers.start(
      agent,
      { input, schema, options, user, signal, waits: NO_WAITS },
      { traceId: execution.traceId, logger, trace, requester: 'step', parentId: execution.id },
    )
    return this.#answers.generate(started)
  }

  /**
   * Aborts an answer that a caller requested, on whatever machine, and waits until that is recorded. `false` when it
   * has ended; the runs of steps and sub-agents end with their step or answer.
   */
  async cancel(runId: string): Promise<boolean> {
    const { store, clock, hub } = this.#deps
    const run = this.#answers.live.get(runId)
    if (!run) {
      const aborted = await store.agentRuns.abort(runId, clock.now())
      hub.publish(runId)
      return aborted
    }
    if (this.#answers.isNested(run)) return false
    run.stop(cancelled())
    await run.ended
    return true
  }

  /** Aborts the answers that other machines have cancelled, until the returned function is called. */
  followRemoteChanges(): () => void {
    return followEndedRuns(this.#deps, this.#answers.live, (run) => run.stop(cancelled()))
  }

  /** Ends a run whose responses did not come in time. */
  async expire(runId: string): Promise<void> {
    const { store, clock, hub } = this.#deps
    await store.agentRuns.expire(runId, { endedAt: clock.now(), error: EXPIRED_MESSAGE })
    hub.publish(runId)
  }

  /** Ends the runs that an earlier process left unfinished. */
  async recover(): Promise<void> {
    const { store, clock, logger } = this.#deps
    const end = { status: 'error', endedAt: clock.now(), error: INTERRUPTED_MESSAGE } as const
    const count = await store.agentRuns.endOrphaned(end)
    if (count > 0) logger.info(`Ended ${count} agent run(s) of an earlier process`)
  }

  /** Waits up to `graceMs` for answers to finish, then aborts them and the runs nested in them. */
  async stop(graceMs: number): Promise<void> {
    await this.#answers.stop(graceMs)
    this.#deps.heldCalls.close()
  }

  /** Waits until every run is recorded. */
  idle(): Promise<void> {
    return this.#answers.idle()
  }

  /** Finds the agent, holds its code while it answers, and translates errors for the caller. */
  async #forCaller<T>(
    agentId: string,
    { signal }: Pick<AgentCall, 'signal'>,
    work: (agent: Agent, keep: (until: Promise<void>) => void) => Promise<T>,
  ): Promise<T> {
    requireDatabase(this.#deps.store)
    const hold = this.#deps.hold()
    let held: Promise<void> = Promise.resolve()
    try {
      return await work(hold.registry.agent(agentId), (until) => {
        held = until
      })
    } catch (error) {
      if (error instanceof AppError) throw error
      if (signal.aborted) throw new AppError('unavailable', 'The request was aborted', { cause: error })
      throw new AppError('execution_failed', FAILED_MESSAGE, { cause: error })
    } finally {
      void held.then(() => hold.release())
    }
  }
}

function resumedCall({ row, continuation, responses }: RespondedRun, signal: AbortSignal): ResumedCall {
  const schema = continuation.schema === null ? undefined : readCallerSchema(continuation.schema)
  return { row, continuation, responses, schema, signal }
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value
}

function cancelled(): AppError {
  return new AppError('unavailable', 'The answer was cancelled')
}
