import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat, AnswerIds } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import { NO_WAITS, STEP_WAITS } from '../../agent/answer/waiting/pending-calls.ts'
import { trialAgent } from '../../agent/trial-agent.ts'
import type { TrialChanges } from '../../agent/trial-agent.ts'
import type { Decider } from '../../contract/access/decision.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import { ANSWER_STEP } from '../../contract/step-path.ts'
import { TRIAL_PLACE } from '../../contract/usage/step-place.ts'
import { abortable } from '../../lib/async/abortable.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { AppError } from '../../lib/errors.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { Store } from '../../store/store.ts'
import { requireDatabase } from '../database-outage.ts'
import type { AnswerExecutions, ResumedWait } from '../executions/answers.ts'
import type { Registry } from '../registry.ts'
import type { ExecutionQuestion, StepAnswer } from '../run/run-context.ts'
import type { Trials } from '../run/trials.ts'
import { isResumable, userIdOf, withCallerSchema, withStoredSchema } from './agent-call.ts'
import type { AgentCall, ClientCall, Delivery } from './agent-call.ts'
import { objectAnswer, textAnswer, unreadAnswer } from './agent-records.ts'
import type { RunningAnswer } from './running-answer.ts'
import { answersObject, pendingAnswer } from './continuation.ts'
import { Chats } from './durable/chats.ts'
import { KeptAnswers } from './durable/kept-answers.ts'
import { lastPartOf } from './durable/delivery-formats.ts'
import { ExecutedAnswers, DeferredCalls } from './executed-answers.ts'
import type { Generate } from './executed-answers.ts'
import { EXPIRED_MESSAGE, expiryKey } from './expiry.ts'
import type { AnswerReplay } from './replay-answer.ts'
import { replayedAnswer, replayRow } from './replay-answer.ts'
import { respondedChat } from './responses/chat-responses.ts'
import type { ChatResponses, RespondedChat } from './responses/chat-responses.ts'
import { respondToAnswer, answerWithWaitingTool } from './responses/answer-responses.ts'
import type { AnswerResponse } from './responses/answer-responses.ts'
import { RunningAnswers } from './running-answers.ts'
import type { RunningAnswersDeps } from './running-answers.ts'
import { FAILED_MESSAGE } from './send-answer.ts'
import type { AnswerOrigin, StartedAnswer } from './running-answer.ts'

export interface AgentsDeps extends RunningAnswersDeps {
  /** The current agents, held until released. */
  readonly hold: () => { readonly registry: Registry; release(): void }
  /** The trials of what was in flight when the process crashed. */
  readonly trials: Trials
  readonly executions: () => AnswerExecutions
}

/** A request of the project's code. Its schema may be of any library, and is trusted. */
export interface CodeCall extends AgentCall {
  readonly delivery: Delivery
  /** The step or tool that it is a part of. */
  readonly origin: AnswerOrigin
}

/** The resume of a tool that waits. */
interface ResumeAnswerCall extends ResumedWait {
  readonly runId: string
}

/** The replay of an answer. */
interface ReplayAnswerCall extends AnswerReplay {
  readonly runId: string
  readonly decider: Decider
  /** The scope of the answer's span. */
  readonly trace?: TraceScope | undefined
}

/**
 * What a run continues with, or is replayed with: responses to calls that it waits for, data for a tool that waits, or
 * another call. A replay continues when its caller disconnects.
 */
export type ContinueCall =
  | ({ readonly kind: 'respond' } & AnswerResponse)
  | ({ readonly kind: 'resume' } & ResumeAnswerCall)
  | ({ readonly kind: 'replay' } & ReplayAnswerCall)

/** For an answer part by part. */
interface Streamed<Part> {
  readonly format: (isObject: boolean) => AnswerFormat<Part>
}

/** A complete answer, or what it waits for. */
interface WholeAnswer {
  readonly generated: Generated
  readonly run: AnswerIds
}

type Work<T> = (agent: Agent, keep: (until: Promise<void>) => void) => Promise<T>

/** The error of a run that an earlier process left unfinished. */
export const INTERRUPTED_MESSAGE = 'The server stopped before the answer was complete'

/** Runs agents for callers of the API and for steps, and records their answers. */
export class Agents {
  readonly #deps: AgentsDeps
  readonly #answers: RunningAnswers
  readonly #kept: KeptAnswers
  readonly #executed: ExecutedAnswers
  /** The answers of chats that are in progress. */
  readonly chats: Chats

  constructor(deps: AgentsDeps) {
    this.#deps = deps
    this.#answers = new RunningAnswers(deps)
    this.#kept = new KeptAnswers(deps)
    this.#executed = new ExecutedAnswers({ ...deps, running: this.#answers, kept: this.#kept })
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
    const hasOutput = call.options?.output !== undefined
    return this.#atOnce(agentId, call, (generated, run) => {
      const answer = objectAnswer(generated, run)
      return hasOutput ? { ...answer, output: answer.object } : answer
    })
  }

  /**
   * Starts a recorded answer, and resolves with its id once that is stored. How it ends is in its record.
   *
   * @throws AppError as `text` does.
   */
  begin(agentId: string, call: ClientCall): Promise<string> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const begun = await this.#start(agent, call)
      keep(begun.started.answer.ended)
      this.#generate(agent, begun).catch(() => undefined)
      return begun.started.row.id
    })
  }

  /** The answer for an adapter of another API. Throws AppError as `text` does. */
  whole(agentId: string, call: ClientCall): Promise<WholeAnswer> {
    return this.#atOnce(agentId, call, (generated, { id, traceId }) => ({ generated, run: { id, traceId } }))
  }

  #atOnce<Answer>(
    agentId: string,
    call: ClientCall,
    answerOf: (generated: Generated, answer: RunningAnswer) => Answer,
  ): Promise<Answer> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const begun = await this.#start(agent, call)
      keep(begun.started.answer.ended)
      const generating = this.#generate(agent, begun)
      return answerOf(await abortable(generating, call.signal), begun.started.answer)
    })
  }

  /**
   * Answers a call of the project's code.
   *
   * @throws AppError as `text` does.
   */
  generate(agentId: string, call: CodeCall): Promise<WholeAnswer> {
    const work: Work<WholeAnswer> = async (agent, keep) => {
      const begun = await this.#startForCode(agent, call)
      const { answer } = begun.started
      keep(answer.ended)
      const generated = await abortable(this.#generate(agent, begun), call.signal)
      return { generated, run: { id: answer.id, traceId: answer.traceId } }
    }
    return this.#forCaller(agentId, call, work, (registry) => agentOfCode(registry, agentId))
  }

  /** Streams the answer to a call of the project's code, like `stream`. */
  streamForCode<Part>(
    agentId: string,
    call: CodeCall,
    format: AnswerFormat<Part>,
  ): Promise<AsyncGenerator<Part>> {
    const work: Work<AsyncGenerator<Part>> = async (agent, keep) => {
      const begun = await this.#startForCode(agent, call)
      keep(begun.started.answer.ended)
      return this.#streamBegun(agent, begun, { format, signal: call.signal })
    }
    return this.#forCaller(agentId, call, work, (registry) => agentOfCode(registry, agentId))
  }

  /** One that can be resumed is a run of its own. */
  async #startForCode(agent: Agent, call: CodeCall): Promise<BegunAnswer> {
    const { delivery, origin } = call
    if (!isResumable(agent, call)) return { started: await this.#answers.start(agent, call, origin) }
    return this.#startResumable(agent, withStoredSchema(call), { delivery, origin })
  }

  /** Starts the run of a client's call. */
  async #start(agent: Agent, call: ClientCall): Promise<BegunAnswer> {
    const own = withCallerSchema(call)
    const { delivery } = call
    if (delivery === undefined || !isResumable(agent, call))
      return { started: await this.#answers.start(agent, own) }
    return this.#startResumable(agent, own, { delivery })
  }

  /** It does not end with its caller. */
  async #startResumable(
    agent: Agent,
    call: AgentCall,
    { delivery, origin }: { readonly delivery: Delivery; readonly origin?: AnswerOrigin },
  ): Promise<BegunAnswer> {
    const { signal } = new AbortController()
    const calls = new DeferredCalls()
    const durable = { delivery, calls }
    const started = await this.#answers.start(agent, { ...call, signal }, { ...origin, durable })
    // one that a guardrail blocked has ended
    return started.facts.delivery === null ? { started } : { started, calls }
  }

  #generate(agent: Agent, { started, calls }: BegunAnswer): Promise<Generated> {
    return calls
      ? this.#executed.begin(agent, { started, calls }, this.#generated)
      : this.#answers.generate(started)
  }

  /** Delivers a complete answer. */
  readonly #generated: Generate = (started) => this.#answers.generate(started)

  #streamBegun<Part>(
    agent: Agent,
    { started, calls }: BegunAnswer,
    { format, signal }: { readonly format: AnswerFormat<Part>; readonly signal: AbortSignal },
  ): Promise<AsyncGenerator<Part>> {
    if (!calls) return this.#answers.stream(started, format)
    return this.#streamExecuted(started.row.id, { format, signal }, (generate) =>
      this.#executed.begin(agent, { started, calls }, generate),
    )
  }

  /** The stream of an answer that is an execution, which `continuing` begins or continues. */
  async #streamExecuted<Part>(
    id: string,
    { format, signal }: { readonly format: AnswerFormat<Part>; readonly signal: AbortSignal },
    continuing: (generate: Generate) => Promise<Generated>,
  ): Promise<AsyncGenerator<Part>> {
    const opened = createDeferred<void>()
    const generate: Generate = (one) => this.#executed.keep(one, format, opened.resolve)
    await Promise.race([opened.promise, continuing(generate)])
    const run = { id, ownerEpoch: this.#deps.store.ownerEpoch }
    return this.#kept.read(run, (row) => lastPartOf(format, row), signal) as AsyncGenerator<Part>
  }

  /** Streams the answer. Errors before the first part are thrown as by `text`. */
  stream<Part>(agentId: string, call: ClientCall, format: AnswerFormat<Part>): Promise<AsyncGenerator<Part>> {
    const work: Work<AsyncGenerator<Part>> = async (agent, keep) => {
      const begun = await this.#start(agent, call)
      keep(begun.started.answer.ended)
      return this.#streamBegun(agent, begun, { format, signal: call.signal })
    }
    return this.#forCaller(agentId, call, work)
  }

  /** Like `stream`, of the agent with changes: it is recorded as a trial, and ends with its caller. */
  trial<Part>(
    agentId: string,
    { changes, ...call }: ClientCall & { readonly changes: TrialChanges },
    format: AnswerFormat<Part>,
  ): Promise<AsyncGenerator<Part>> {
    const origin = { requester: 'lab', place: TRIAL_PLACE, trial: changes } as const
    const work: Work<AsyncGenerator<Part>> = async (agent, keep) => {
      const own = { ...withCallerSchema(call), waits: NO_WAITS, withoutMemory: true }
      const started = await this.#answers.start(agent, own, origin)
      keep(started.answer.ended)
      return this.#answers.stream(started, format)
    }
    return this.#forCaller(agentId, call, work, (registry) =>
      trialAgent(registry.usedAgent(agentId), changes),
    )
  }

  /**
   * Goes on with a run that waits, or replays one, and returns the answer. With responses to a part of the calls that it waits
   * for it still waits.
   *
   * @throws AppError what the decider's rules throw, and as `text`; `not_found` when the run is unknown; for responses as
   *   `respondToRun`; for a resume `conflict` when no tool waits, or several do and `stepId` is missing, `invalid_input` when
   *   the data does not fit the wait; for a replay `conflict` when it is running, or its calls are not recorded,
   *   `invalid_input` as `copyCalls`.
   */
  continue(
    agentId: string,
    { signal, ...call }: ContinueCall & Pick<AgentCall, 'signal'>,
  ): Promise<AgentAnswer | AgentObject> {
    return this.#forCaller(agentId, { signal }, async (agent) => {
      const { row, isReader, isObject, continuing } = await this.#openContinued(agent, call, false)
      const generated =
        typeof continuing === 'function' ? await abortable(continuing(this.#generated), signal) : continuing
      if (!isReader) return unreadAnswer(generated, row)
      return isObject && !generated.pending ? objectAnswer(generated, row) : textAnswer(generated, row)
    })
  }

  /** Like `continue`, without the answer: resolves when the run continues, or still waits. */
  advance(agentId: string, { signal, ...call }: ContinueCall & Pick<AgentCall, 'signal'>): Promise<void> {
    return this.#forCaller(agentId, { signal }, async (agent) => {
      const { continuing } = await this.#openContinued(agent, call, false)
      if (typeof continuing !== 'function') return
      const opened = createDeferred<void>()
      const answer = continuing((started) => {
        opened.resolve()
        return this.#answers.generate(started)
      })
      // how it ends is recorded
      answer.catch(() => undefined)
      await Promise.race([opened.promise, answer])
    })
  }

  /** Like `continue`, with the answer part by part. */
  continueStreamed<Part>(
    agentId: string,
    { signal, format: formatOf, ...call }: ContinueCall & Pick<AgentCall, 'signal'> & Streamed<Part>,
  ): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, { signal }, async (agent) => {
      const { row, isObject, continuing } = await this.#openContinued(agent, call, true)
      const format = formatOf(isObject)
      if (typeof continuing !== 'function') return one(format.finished(continuing, row))
      return this.#streamExecuted(row.id, { format, signal }, continuing)
    })
  }

  #openContinued(agent: Agent, call: ContinueCall, isStreamed: boolean): Promise<ContinuedAnswer> {
    switch (call.kind) {
      case 'respond':
        return this.#responded(agent, { ...call, isStreamed })
      case 'resume':
        return this.#resumed(agent, { ...call, isStreamed })
      case 'replay':
        return this.#replayed(agent, call)
    }
  }

  async #responded(agent: Agent, call: AnswerResponse): Promise<ContinuedAnswer> {
    const responded = await respondToAnswer(agent, call, this.#deps)
    const { row, continuation, isReader, pending } = responded
    const continuing = pending
      ? pendingAnswer(responded, pending)
      : (generate: Generate) => this.#executed.continue(agent, row, generate)
    return { row, isReader, isObject: answersObject(continuation), continuing }
  }

  async #resumed(
    agent: Agent,
    call: ResumeAnswerCall & { readonly isStreamed?: boolean },
  ): Promise<ContinuedAnswer> {
    const { onResumed, ...run } = await answerWithWaitingTool(agent, call, this.#deps)
    return {
      ...run,
      continuing: (generate) => this.#executed.resume(run.row.id, { ...call, onResumed }, generate),
    }
  }

  async #replayed(agent: Agent, call: ReplayAnswerCall): Promise<ContinuedAnswer> {
    const { newId, clock, store } = this.#deps
    const { row, facts, calls, schema, isObject } = await replayedAnswer(agent, call, {
      ...this.#deps,
      stepsOf: (id) => this.#deps.executions().steps(id),
    })
    const origin = { runId: row.id, stepId: calls.stepId }
    const late = new DeferredCalls()
    const { delivery } = facts
    const started = await this.#answers.replay(
      agent,
      {
        row: { ...replayRow(row, origin), id: newId(), startedAt: clock.now(), ownerEpoch: store.ownerEpoch },
        facts,
        counted: calls.answers,
        schema,
        signal: new AbortController().signal,
      },
      { trace: call.trace, durable: { delivery, calls: late } },
    )
    const { runId: executionId, stepId } = origin
    const forkedFrom = JSON.stringify({ executionId, stepId })
    const replay = { begun: { started, calls: late }, copied: { steps: calls.rows, forkedFrom } }
    const continuing = (generate: Generate) => this.#executed.replay(agent, replay, generate)
    return { row: started.row, isReader: true, isObject, continuing }
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

  /** Goes on with a run of the owner `from`, which has died before its execution did. */
  async continueOrphaned(id: string, from: number): Promise<JobResult> {
    const [row] = await this.#deps.store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    if (row?.status !== 'running' || row.ownerEpoch !== from) return 'done'
    const hold = this.#deps.hold()
    try {
      const agent = hold.registry.agents.find((each) => each.id === row.agentId)
      if (!agent) return 'elsewhere'
      await this.#executed.recover(agent, row)
      return 'done'
    } finally {
      hold.release()
    }
  }

  /** Answers a request of a step, whose execution holds the code. */
  async ask(agent: Agent, question: ExecutionQuestion): Promise<StepAnswer> {
    const { kind } = question.execution
    if (kind === 'answer' && question.place?.step === ANSWER_STEP)
      return this.#executed.answer(agent, question)
    const { prompt: input, schema, signal, user, logger, trace, execution } = question
    const { context, userId, conversationId, request, place, listener } = question
    const options = { userId, conversationId, context }
    const { waited, timeoutMs = this.#deps.approvalsTimeoutMs } = request ?? {}
    const { traceId, id: parentId } = execution
    const asking = place && {
      id: parentId,
      workflowId: place.workflowId,
      parentId: execution.parentId ?? null,
    }
    const budgets = asking && this.#deps.budgets.ofExecution(asking)
    // without budgets there is nothing to wait for
    const budgetOrigin = budgets && (await budgets)
    const waits = request ? STEP_WAITS : NO_WAITS
    const answer = await this.#answers.ask(
      agent,
      { input, schema, options, user, signal, waits },
      {
        traceId,
        trace,
        ...(logger && { logger }),
        requester: 'step',
        parentId,
        place,
        listener,
        budgetOrigin,
        approvalsTimeoutMs: timeoutMs,
      },
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
    const answer = this.#answers.live.get(runId)
    if (!answer) {
      const aborted = await store.agentRuns.abort(runId, clock.now())
      if (aborted) await this.#deps.executions().cancel(runId)
      hub.publish(runId)
      return aborted
    }
    if (this.#answers.isNested(answer)) return false
    answer.stop(cancelled())
    await answer.ended
    return true
  }

  /** Aborts the answers that other machines have cancelled, until the returned function is called. */
  followRemoteChanges(): () => void {
    return followEndedAnswers(this.#deps, this.#answers.live, (answer) => answer.stop(cancelled()))
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
    const end = { endedAt: clock.now(), error: EXPIRED_MESSAGE }
    if (await store.agentRuns.expire(runId, end)) await this.#deps.executions().cancel(runId)
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

/** A run that was started, and its calls if it becomes an execution. */
interface BegunAnswer {
  readonly started: StartedAnswer
  readonly calls?: DeferredCalls | undefined
}

/** A run that a caller continues or replays. */
interface ContinuedAnswer {
  readonly row: AgentRunRow
  /** Whether the caller may read the answer. */
  readonly isReader: boolean
  readonly isObject: boolean
  /** Generates the answer; or the answer so far, which still waits. */
  readonly continuing: Generated | ((generate: Generate) => Promise<Generated>)
}

/** @throws AppError `not_found` when the configuration does not have the agent. */
function agentOfCode(registry: Registry, agentId: string): Agent {
  const found = registry.usedAgents.find(({ id }) => id === agentId)
  if (found) return found
  throw new AppError(
    'not_found',
    `Agent not found: ${agentId}. List it in agents of the configuration, or use it in a workflow or another agent`,
  )
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value
}

function cancelled(): AppError {
  return new AppError('unavailable', 'The answer was cancelled')
}

interface FollowDeps {
  readonly store: Store
  readonly logger: Logger
}

/** Calls `onEnded` for each run of this process that another machine has ended, until the returned function is called. */
function followEndedAnswers(
  { store, logger }: FollowDeps,
  live: ReadonlyMap<string, RunningAnswer>,
  onEnded: (answer: RunningAnswer) => void,
): () => void {
  const look = async (id: string) => {
    const [row] = await store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    const answer = live.get(id)
    if (answer && row?.status !== 'running') onEnded(answer)
  }
  return store.changes.follow({
    watched: () => live.keys(),
    onChange: (topic) => {
      if (!live.has(topic)) return
      look(topic).catch((err: unknown) => {
        // the changes are reported again when the database can be used again
        if (store.health.problem) return
        logger.warn({ err, runId: topic }, 'A change by another machine could not be read')
      })
    },
  })
}
