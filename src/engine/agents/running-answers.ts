import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import { clientCallId, SuspendedAnswer } from '../../agent/answer/waiting/pending-calls.ts'
import type { ResumedAnswer } from '../../agent/answer/waiting/resumed-answer.ts'
import { NO_USAGE } from '../../agent/answer/usage.ts'
import { errorForCaller } from '../../agent/models/model-error.ts'
import { trialSubAgent } from '../../agent/trial-agent.ts'
import { callingPart } from '../../calls/current-server.ts'
import { abortable } from '../../lib/async/abortable.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { delay } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import { whenAvailable } from '../database-outage.ts'
import { RunAborted } from '../run/errors.ts'
import type { WaitedAnswer } from '../run/run-context.ts'
import type { Trials } from '../run/trials.ts'
import type { AgentCall } from './agent-call.ts'
import type { RunningAnswer } from './running-answer.ts'
import { startAgent } from './agent-span.ts'
import {
  findEarlier,
  recordedAnswer,
  waitingAnswerOf,
  findWaited,
  settledCalls,
  waitedSubAgent,
} from './durable/earlier-answer.ts'
import type { NestedRequest } from './durable/earlier-answer.ts'
import { recordAnswer, sendAnswer } from './send-answer.ts'
import { replayAnswer, continueAnswer, startAnswer } from './start-answer.ts'
import type { ReplayedCall, ResumedCall } from './start-answer.ts'
import type { AnswerDeps, AnswerOrigin, StartedAnswer, StartAnswerDeps } from './running-answer.ts'

/** The answer to a step or an agent, and its run. */
type NestedAnswer = Generated & { readonly runId: string }

type ReadAnswer = (answer: Generated) => Promise<void>

/** How an answer is requested. */
interface NestedOptions {
  readonly request: NestedRequest | undefined
  readonly waited?: WaitedAnswer | undefined
  readonly requester?: RunningAnswer
  /** Reads the complete answer. Throws when the step can't use it. */
  readonly read?: ReadAnswer | undefined
}

export interface RunningAnswersDeps extends AnswerDeps {
  /** The scope in which new traces start. */
  readonly trace: () => TraceScope
  /** Receives the id of a run that has ended. */
  readonly hub: EventHub
  readonly trials: Trials
}

/** A run that calls sub-agents. */
interface Requester {
  readonly agent: Agent
  readonly answer: RunningAnswer
  /** Set when it continues. */
  readonly resumed: ResumedAnswer | undefined
}

/** The answers that are generated in this process, and their records. */
export class RunningAnswers {
  readonly #deps: RunningAnswersDeps
  readonly #live = new Map<string, RunningAnswer>()
  /** Runs that are not recorded yet. */
  readonly #starting = new Set<Promise<void>>()
  /** Runs of steps and of sub-agents: they end with the step or answer that requested them. */
  readonly #nested = new WeakSet<RunningAnswer>()
  readonly #randomHex = randomHexGenerator()

  constructor(deps: RunningAnswersDeps) {
    this.#deps = deps
  }

  get live(): ReadonlyMap<string, RunningAnswer> {
    return this.#live
  }

  isNested(answer: RunningAnswer): boolean {
    return this.#nested.has(answer)
  }

  /** Validates a call and starts its answer. */
  async start(agent: Agent, call: AgentCall, of: AnswerOrigin = {}): Promise<StartedAnswer> {
    // what belongs to a step, also as a run of its own, would wait for the end of its own trial
    if (of.parentId === undefined && !callingPart()?.place)
      while (this.#deps.trials.held) await this.#deps.trials.held
    const { trace = call.trace ?? this.#deps.trace() } = of
    const span = startAgent(trace, agent, call)
    const traceId = span.spanIds?.traceId ?? of.traceId ?? this.#randomHex(16)
    return this.#open(agent, call, { ...of, traceId, span }, (deps) => startAnswer(agent, call, deps))
  }

  /** Goes on with a run that has its responses, or whose process has ended. */
  async resume(agent: Agent, resumed: ResumedCall, of: AnswerOrigin): Promise<StartedAnswer> {
    const { row, continuation, schema, signal } = resumed
    const { options, prompt: input, span: ids, user } = continuation
    const scope = of.trace ?? this.#deps.trace()
    const call = { input, schema, options, user: user ?? undefined, signal }
    const span = startAgent(ids ? scope.childOf(ids) : scope, agent, call)
    const origin = { ...of, traceId: row.traceId, span }
    const started = await this.#open(agent, call, origin, (deps) => continueAnswer(agent, resumed, deps))
    started.answer.earlier = continuation.waiting
    return started
  }

  /** Starts an answer that begins with recorded calls of another one. */
  async replay(
    agent: Agent,
    replay: Omit<ReplayedCall, 'row'> & { readonly row: Omit<AgentRunRow, 'traceId'> },
    of: AnswerOrigin,
  ): Promise<StartedAnswer> {
    const { facts, schema, signal } = replay
    const { options, prompt: input, user } = facts
    const call = { input, schema, options, user: user ?? undefined, signal }
    const span = startAgent(of.trace ?? this.#deps.trace(), agent, call)
    const traceId = span.spanIds?.traceId ?? this.#randomHex(16)
    const spanned = { ...facts, span: span.spanIds ?? null }
    return this.#open(agent, call, { ...of, traceId, span }, (deps) =>
      replayAnswer(agent, { ...replay, row: { ...replay.row, traceId }, facts: spanned }, deps),
    )
  }

  /** The answers to callers are in flight by themselves. */
  #count(answer: RunningAnswer, { parentId, durable }: AnswerOrigin): void {
    if (parentId !== undefined) this.#nested.add(answer)
    // the step of an execution counts for its answer
    else if (!durable) void answer.ended.then(this.#deps.trials.enter())
  }

  async #open(
    agent: Agent,
    call: AgentCall,
    of: AnswerOrigin & Pick<StartAnswerDeps, 'traceId' | 'span'>,
    start: (deps: StartAnswerDeps) => Promise<StartedAnswer>,
  ): Promise<StartedAnswer> {
    const callSubAgent: StartAnswerDeps['callSubAgent'] = (answer, resumed) =>
      this.#subAgentsOf(call, of, { agent, answer, resumed })
    const starting = this.#startWithin(of.span, agent, async () => {
      const started = await start({ ...this.#deps, ...of, callSubAgent })
      this.#live.set(started.answer.id, started.answer)
      return started
    })
    // not the promise itself, which would keep the whole run in memory
    const settled = starting.then(
      () => undefined,
      () => undefined,
    )
    this.#starting.add(settled)
    const started = await starting.finally(() => this.#starting.delete(settled))
    const { answer } = started
    void answer.ended.then(() => {
      this.#live.delete(answer.id)
      this.#deps.hub.publish(answer.id)
    })
    this.#count(answer, of)
    return started
  }

  /** Ends the span of a run that could not be started. */
  async #startWithin<T>(span: OpenSpan, agent: Agent, start: () => Promise<T>): Promise<T> {
    try {
      return await start()
    } catch (error) {
      // the cause of an AppError is for the operator
      const { cause } = error instanceof AppError ? error : { cause: undefined }
      span.fail(cause ?? error)
      span.end()
      const forCaller = this.#public(error)
      const bindings = { agentId: agent.id, ...span.spanIds, ...(cause !== undefined && { err: cause }) }
      if (forCaller !== error || cause !== undefined)
        this.#deps.logger.warn(bindings, `Agent "${agent.id}" failed: ${messageOf(error)}`)
      throw forCaller
    }
  }

  #public(error: unknown): unknown {
    return errorForCaller(error, this.#deps.production)
  }

  /** The complete answer of a run, which it records. */
  async generate(started: StartedAnswer): Promise<Generated> {
    const generated = await this.#generate(started)
    await this.#record(started, generated)
    return generated
  }

  #generate(started: StartedAnswer): Promise<Generated> {
    const generate = () => abortable(started.generate(), started.answer.signal)
    return this.#recordFailure(started, () => started.span.run(generate))
  }

  #record(started: StartedAnswer, generated: Generated): Promise<void> {
    return this.#recordFailure(started, () => recordAnswer(started, generated))
  }

  /** The answer of a run part by part, which it records before the last one. Default of `isRead`: always. */
  async stream<Part>(
    started: StartedAnswer,
    format: AnswerFormat<Part>,
    isRead?: () => boolean,
  ): Promise<AsyncGenerator<Part>> {
    const { answer } = started
    const stream = await this.#recordFailure(started, () => started.span.run(() => started.stream()))
    answer.progress = () => stream.progress()
    if (stream.live && isRead) stream.live.isStreamRead = isRead
    return sendAnswer(started, { stream, format, production: this.#deps.production })
  }

  /**
   * Answers the requests to sub-agents within a call; each answer is recorded as a run of its own, which continues when the
   * asking run does.
   */
  #subAgentsOf(
    call: AgentCall,
    of: AnswerOrigin,
    { agent: asking, answer: requester, resumed }: Requester,
  ): CallSubAgent {
    const { userId, conversationId, context, pauseAt } = call.options ?? {}
    const options = { userId, conversationId, context, pauseAt }
    const { approvals = true, clientTools: executes = false, returnsCalls = false } = call.waits ?? {}
    // what a sub-agent asks of the client needs an answer that waits
    const clientTools = executes && !returnsCalls
    const waits = { approvals, clientTools, ...(!clientTools && { askedBy: requester.agentId }) }
    const { durable } = of
    const budgetOrigin = this.#deps.budgets.within(asking, requester.id, of.budgetOrigin)
    return async (agent, { prompt: input, signal, trace, toolCallId, requestKey = '', calls, listener }) => {
      const recorded = of.trial && trialSubAgent(agent, input, of.trial)
      if (recorded !== undefined) return { text: recorded, usage: NO_USAGE }
      const parentId = requester.id
      const nestedIn = { listener, trace, requester: 'agent', parentId, budgetOrigin } as const
      const origin = { ...of, ...nestedIn, trial: undefined }
      const waited = resumed && waitedSubAgent(resumed, toolCallId)
      const nested = { input, options, user: call.user, signal, withoutMemory: true, waits }
      const request = durable &&
        calls && {
          requestKey,
          isFirst: durable.continued !== true,
          isRetried: durable.isRetried,
          calls,
        }
      const answer = await this.ask(agent, nested, origin, { request, waited, requester })
      const { text, reason, usage, pending, runId, steps } = answer
      const settled = waited && { settled: settledCalls(waited, answer) }
      if (!pending) return { text, usage, ...(reason !== undefined && { reason }), ...settled }
      const { approvals } = pending
      const toolCalls = pending.toolCalls.map((one) => ({
        ...one,
        toolCallId: clientCallId(runId, one.toolCallId),
      }))
      const suspended = { runId, steps: steps.length, agentId: agent.id, approvals, toolCalls }
      return { text: new SuspendedAnswer(suspended), usage, ...settled }
    }
  }

  /**
   * Answers a request of a step or an agent. With a `request` the run survives its process, and may have been started by
   * one that crashed. With `waited`, it continues with a run that waited for responses.
   */
  async ask(
    agent: Agent,
    call: AgentCall,
    of: AnswerOrigin,
    { request, waited, requester, read = async () => undefined }: NestedOptions,
  ): Promise<NestedAnswer> {
    const { store, clock } = this.#deps
    const deps = { runs: store.agentRuns, clock, stopHere: (id: string) => this.stopHere(id) }
    const find = async () =>
      (waited && (await findWaited(waited, deps))) ?? (request && (await findEarlier(request, deps)))
    const earlier = await whenAvailable(store, find, call.signal)
    const { answered, waiting, claimed } = earlier ?? {}
    if (answered) {
      const answer = recordedAnswer(answered, call.schema !== undefined)
      await read(answer)
      return { ...answer, runId: answered.id }
    }
    if (waiting) return { ...waitingAnswerOf(waiting), runId: waiting.row.id }
    const continued = claimed !== undefined
    const durable = request &&
      earlier && {
        delivery: 'nested' as const,
        requestKey: earlier.requestKey,
        continued,
        isRetried: request.isRetried,
        calls: request.calls,
      }
    const origin = { ...of, durable }
    if (!continued && request?.isFirst === false) request.calls.restart()
    const started = claimed
      ? await this.resume(agent, { ...claimed, schema: call.schema, signal: call.signal }, origin)
      : await this.start(agent, call, origin)
    requester?.nested.push(started.answer)
    return { ...(await this.#answerOf(started, read)), runId: started.answer.id }
  }

  /** The answer to a step or an agent. A run that is kept for a retry ends when its answer could be read. */
  async #answerOf(started: StartedAnswer, read: ReadAnswer): Promise<Generated> {
    const { answer } = started
    const generated = await this.#generate(started)
    if (generated.pending || !answer.isRetried) {
      await this.#record(started, generated)
      if (!generated.pending) await read(generated)
      return generated
    }
    try {
      await read(generated)
    } catch (error) {
      if (answer.signal.aborted) await answer.abort()
      else if (answer.isRetried(error)) await answer.fail(error)
      else await this.#record(started, generated)
      throw error
    }
    await this.#record(started, generated)
    return generated
  }

  /** Ends a run that its step or agent requests again, if it still runs here. */
  async stopHere(id: string): Promise<void> {
    const answer = this.#live.get(id)
    answer?.stop(new RunAborted('fenced', 'The answer is requested again'))
    await answer?.ended
  }

  /** Records the failure of a run when `work` throws, and rethrows. */
  async #recordFailure<T>({ answer }: StartedAnswer, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await (answer.signal.aborted ? answer.abort() : answer.fail(error))
      throw this.#public(error)
    }
  }

  /** Waits up to `graceMs` for answers to finish, then aborts them and the runs nested in them. */
  async stop(graceMs: number): Promise<void> {
    const timer = new AbortController()
    const grace = delay(graceMs, timer.signal).catch(() => undefined)
    await Promise.race([this.#requestedEnded(), grace])
    timer.abort()
    const requested = this.#requested()
    const shutdown = new AppError('unavailable', 'The server is shutting down')
    const stopping = new RunAborted('stopping', 'The server is stopping')
    for (const answer of requested) answer.stop(answer.isDurable ? stopping : shutdown)
    await Promise.all(requested.map((answer) => answer.ended))
  }

  #requested(): RunningAnswer[] {
    return [...this.#live.values()].filter((answer) => !this.#nested.has(answer))
  }

  async #requestedEnded(): Promise<void> {
    await Promise.allSettled(this.#starting)
    await Promise.all(this.#requested().map((answer) => answer.ended))
  }

  /** Waits until every run is recorded. */
  async idle(): Promise<void> {
    await Promise.all([...this.#live.values()].map((answer) => answer.ended))
  }
}
