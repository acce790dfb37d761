import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generate.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import { abortable } from '../../lib/async/abortable.ts'
import { AppError } from '../../lib/errors.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { Trials } from '../run/trials.ts'
import type { AgentRun } from './agent-run.ts'
import { Chats } from './durable/chats.ts'
import { KeptAnswers } from './durable/kept-answers.ts'
import { ResumedRuns } from './durable/resumed-runs.ts'
import { lastPartOf } from './durable/road-formats.ts'
import type { ExecutionQuestion, StepAnswer } from '../run/run-context.ts'
import type { Registry } from '../registry.ts'
import { requireDatabase } from '../database-outage.ts'
import { type AgentCall, type ClientCall, isResumable, userIdOf, withCallerSchema } from './agent-call.ts'
import { type ChatResponses, respondedChat, type RespondedChat } from './responses/chat-responses.ts'
import { objectAnswer, textAnswer, unreadAnswer } from './agent-records.ts'
import { NO_WAITS, STEP_WAITS } from '../../agent/answer/waiting/pending-calls.ts'
import { pendingAnswer } from './continuation.ts'
import { resumedCall } from './responses/resumed-call.ts'
import { respondToRun, type RespondedRun, type RunResponse } from './responses/run-responses.ts'
import type { StartedRun } from './start/run-deps.ts'
import { EXPIRED_MESSAGE, expiryKey } from './expiry.ts'
import { followEndedRuns } from './follow-ended-runs.ts'
import { RunningAnswers, type RunningAnswersDeps } from './running-answers.ts'
import { FAILED_MESSAGE } from './send-answer.ts'

export interface AgentRunnerDeps extends RunningAnswersDeps {
  /** The current agents, held until released. */
  readonly hold: () => { readonly registry: Registry; release(): void }
  /** The trials of what was in flight when the process crashed. */
  readonly trials: Trials
}

/** Responses to the calls that a run waits for. */
export interface RespondCall extends RunResponse {
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
}

type Work<T> = (agent: Agent, keep: (until: Promise<void>) => void) => Promise<T>

/** The error of a run that an earlier process left unfinished. */
export const INTERRUPTED_MESSAGE = 'The server stopped before the answer was complete'

/** Runs agents for callers of the API and for steps, and records their answers. */
export class AgentRunner {
  readonly #deps: AgentRunnerDeps
  readonly #answers: RunningAnswers
  readonly #kept: KeptAnswers
  readonly #resumed: ResumedRuns
  /** The answers of chats that are in progress. */
  readonly chats: Chats

  constructor(deps: AgentRunnerDeps) {
    this.#deps = deps
    this.#answers = new RunningAnswers(deps)
    this.#kept = new KeptAnswers(deps)
    this.#resumed = new ResumedRuns({ ...deps, running: this.#answers, answers: this.#kept })
    this.chats = new Chats({ ...deps, answers: this.#kept, cancel: (id) => this.cancel(id) })
  }

  /** The ids of the agents that are answering in this process. */
  get running(): ReadonlySet<string> {
    return new Set([...this.#answers.live.values()].map(({ agentId }) => agentId))
  }

  /** @throws AppError `invalid_input`, `not_found`, `unavailable`, or `execution_failed`. */
  text(agentId: string, call: ClientCall): Promise<AgentAnswer> {
    return this.#atOnce(agentId, call, textAnswer)
  }

  /** @throws AppError as `text` does; `invalid_input` also when the schema can't be compiled. */
  object(agentId: string, call: ClientCall): Promise<AgentObject> {
    return this.#atOnce(agentId, call, objectAnswer)
  }

  #atOnce<Answer>(
    agentId: string,
    call: ClientCall,
    answerOf: (generated: Generated, run: AgentRun) => Answer,
  ): Promise<Answer> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const started = await this.#start(agent, call)
      keep(started.run.ended)
      return answerOf(await abortable(this.#answers.generate(started), call.signal), started.run)
    })
  }

  /** Starts the run of a client's call. One that can be resumed does not end when the client disconnects. */
  #start(agent: Agent, call: ClientCall): Promise<StartedRun> {
    const own = withCallerSchema(call)
    const { road } = call
    if (road === undefined || !isResumable(agent, call)) return this.#answers.start(agent, own)
    const { signal } = new AbortController()
    return this.#answers.start(agent, { ...own, signal }, { durable: { road } })
  }

  /** Goes on with a run that has its responses. One that can't be started has failed: it waits for nothing any more. */
  async #resume(agent: Agent, responded: RespondedRun, signal: AbortSignal): Promise<StartedRun> {
    try {
      return await this.#answers.resume(agent, resumedCall(responded, signal))
    } catch (error) {
      await this.#resumed.fail(responded.row, error)
      throw error
    }
  }

  /** The stream of an answer. One that can be resumed is kept, and generated whether or not somebody reads it. */
  async #stream<Part>(
    started: StartedRun,
    format: AnswerFormat<Part>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<Part>> {
    const parts = await this.#answers.stream(started, format)
    if (started.facts.road === null) return parts
    this.#kept.keep(started.run, parts)
    const run = { id: started.run.id, ownerEpoch: this.#deps.store.ownerEpoch }
    return this.#kept.read(run, (row) => lastPartOf(format, row), signal) as AsyncGenerator<Part>
  }

  /** Streams the answer, of what `change` makes of the agent. Errors before the first part are thrown as by `text`. */
  stream<Part>(
    agentId: string,
    call: ClientCall,
    format: AnswerFormat<Part>,
    change?: (agent: Agent) => Agent,
  ): Promise<AsyncGenerator<Part>> {
    const find = (registry: Registry) => change?.(registry.usedAgent(agentId)) ?? registry.agent(agentId)
    const work: Work<AsyncGenerator<Part>> = async (agent, keep) => {
      const started = await this.#start(agent, call)
      keep(started.run.ended)
      return this.#stream(started, format, call.signal)
    }
    return this.#forCaller(agentId, call, work, find)
  }

  /**
   * Stores responses to calls that a run waits for. Once all have one, the run goes on, and its answer is returned.
   *
   * @throws AppError like `respondToRun`, and like `text`.
   */
  respond(agentId: string, call: RespondCall): Promise<AgentAnswer | AgentObject> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const responded = await respondToRun(agent, call, this.#deps)
      const { row, continuation, isReader } = responded
      const answerFor = isReader ? textAnswer : unreadAnswer
      if (responded.pending) return answerFor(pendingAnswer(responded, responded.pending), row)
      const started = await this.#resume(agent, responded, call.signal)
      keep(started.run.ended)
      const answer = await abortable(this.#answers.generate(started), call.signal)
      return continuation.schema !== null && !answer.pending && isReader
        ? objectAnswer(answer, row)
        : answerFor(answer, row)
    })
  }

  /** Like `respond`, with the answer part by part. */
  respondStreamed<Part>(
    agentId: string,
    { format, ...call }: RespondCall & { readonly format: (isObject: boolean) => AnswerFormat<Part> },
  ): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const responded = await respondToRun(agent, { ...call, isStreamed: true }, this.#deps)
      const { row, continuation, pending } = responded
      const answerFormat = format(continuation.schema !== null)
      if (pending) return one(answerFormat.finished(pendingAnswer(responded, pending), row))
      const started = await this.#resume(agent, responded, call.signal)
      keep(started.run.ended)
      return this.#stream(started, answerFormat, call.signal)
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

  /** Continues an answer whose process has ended. */
  continue(id: string, from: number): Promise<JobResult> {
    return this.#resumed.continue(id, from)
  }

  /** Answers a request of a step, whose execution holds the code. */
  async ask(agent: Agent, question: ExecutionQuestion): Promise<StepAnswer> {
    const { prompt: input, schema, signal, user, logger, trace, execution } = question
    const { context, userId, conversationId, request, place } = question
    const options = { userId, conversationId, context }
    const { waited, timeoutMs = this.#deps.approvalsTimeoutMs } = request ?? {}
    const { traceId, id: parentId } = execution
    const waits = request ? STEP_WAITS : NO_WAITS
    const answer = await this.#answers.ask(
      agent,
      { input, schema, options, user, signal, waits },
      { traceId, logger, trace, requester: 'step', parentId, place, approvalsTimeoutMs: timeoutMs },
      { request, waited, read: question.read },
    )
    return { ...answer, timeoutMs }
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

  /** Ends a run that waits as a part of a step, which needs no answer any more. */
  async endPart(runId: string): Promise<void> {
    const { store, clock, hub } = this.#deps
    const decidedAt = clock.now()
    const jobs = { drop: [expiryKey(runId)] }
    if ((await store.agentRuns.decide(runId, [], { decidedAt, jobs })) !== 'claimed') return
    const [row] = await store.agentRuns.list({ id: runId }, { limit: 1, offset: 0 })
    const { output = null, usage = null, steps = null } = row ?? {}
    const end = { output, usage, steps, error: null, endedAt: decidedAt }
    await store.agentRuns.finish(runId, { ...end, status: 'aborted' })
    hub.publish(runId)
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
    work: Work<T>,
    find: (registry: Registry) => Agent = (registry) => registry.agent(agentId),
  ): Promise<T> {
    requireDatabase(this.#deps.store)
    const hold = this.#deps.hold()
    let held: Promise<void> = Promise.resolve()
    try {
      return await work(find(hold.registry), (until) => {
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

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value
}

function cancelled(): AppError {
  return new AppError('unavailable', 'The answer was cancelled')
}
