import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import { generate } from '../../agent/answer/generate.ts'
import type { Generated } from '../../agent/answer/generate.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import { type AnswerStream, streamAnswer } from '../../agent/answer/stream-answer.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { abortable, abortableItems } from '../../lib/async/abortable.ts'
import { delay } from '../../lib/clock.ts'
import { errorForCaller } from '../../agent/models/model-error.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionQuestion } from '../run/run-context.ts'
import { startAgent } from './agent-span.ts'
import type { Registry } from '../registry.ts'
import { requireDatabase } from '../database-outage.ts'
import { type AgentCall, type ClientCall, withCallerSchema } from './agent-call.ts'
import { objectAnswer, textAnswer } from './agent-records.ts'
import type { AgentRun } from './agent-run.ts'
import { followEndedRuns } from './follow-ended-runs.ts'
import { type AgentRunDeps, type RunOrigin, type StartedRun, startRun, within } from './start-run.ts'

export interface AgentRunnerDeps extends AgentRunDeps {
  /** The current agents, held until released. */
  readonly hold: () => { readonly registry: Registry; release(): void }
  /** The scope in which new traces start. */
  readonly trace: () => TraceScope
  /** Receives the id of a run that has ended. */
  readonly hub: EventHub
}

/** The message that callers receive for an error of user code or a library. */
export const FAILED_MESSAGE = 'Agent execution failed'

/** The error of a run that an earlier process left unfinished. */
export const INTERRUPTED_MESSAGE = 'The server stopped before the answer was complete'

/** Runs agents for callers of the API and for steps, and records their answers. */
export class AgentRunner {
  readonly #deps: AgentRunnerDeps
  readonly #live = new Map<string, AgentRun>()
  /** Runs that are not recorded yet. */
  readonly #starting = new Set<Promise<void>>()
  /** Runs of steps and of sub-agents: they end with the step or answer that requested them. */
  readonly #nested = new WeakSet<AgentRun>()
  readonly #randomHex = randomHexGenerator()

  constructor(deps: AgentRunnerDeps) {
    this.#deps = deps
  }

  isRunning(agentId: string): boolean {
    return [...this.#live.values()].some((run) => run.agentId === agentId)
  }

  /** @throws AppError `invalid_input`, `not_found`, `unavailable`, or `execution_failed`. */
  text(agentId: string, call: ClientCall): Promise<AgentAnswer> {
    return this.#forCaller(agentId, call, async (agent) => {
      const started = await this.#start(agent, withCallerSchema(call))
      return textAnswer(await this.#generate(started), started.run)
    })
  }

  /** @throws AppError as `text` does; `invalid_input` also when the schema can't be compiled. */
  object(agentId: string, call: ClientCall): Promise<AgentObject> {
    return this.#forCaller(agentId, call, async (agent) => {
      const started = await this.#start(agent, withCallerSchema(call))
      return objectAnswer(await this.#generate(started), started.run)
    })
  }

  /** Streams the answer part by part. Errors before the first part are thrown as by `text`. */
  stream<Part>(agentId: string, call: ClientCall, format: AnswerFormat<Part>): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const started = await this.#start(agent, withCallerSchema(call))
      const stream = await this.#recordFailure(started, () =>
        within(started, () => streamAnswer(started.agent, started.request)),
      )
      started.run.progress = () => stream.progress()
      keep(started.run.ended)
      return this.#send(started, stream, format)
    })
  }

  /** Answers a request of a step, whose execution holds the code. */
  async ask(agent: Agent, question: ExecutionQuestion): Promise<Generated> {
    const { prompt: input, schema, signal, user, logger, trace, execution } = question
    const { context, userId, conversationId } = question
    const options = { userId, conversationId, context }
    const started = await this.#start(
      agent,
      { input, schema, options, user, signal },
      { traceId: execution.traceId, logger, trace, requester: 'step', parentId: execution.id },
    )
    this.#nested.add(started.run)
    return this.#generate(started)
  }

  /**
   * Aborts an answer that a caller requested, on whatever machine, and waits until that is recorded. `false` when it
   * has ended; the runs of steps and sub-agents end with their step or answer.
   */
  async cancel(runId: string): Promise<boolean> {
    const { store, clock, hub } = this.#deps
    const run = this.#live.get(runId)
    if (!run) {
      const aborted = await store.agentRuns.abort(runId, clock.now())
      hub.publish(runId)
      return aborted
    }
    if (this.#nested.has(run)) return false
    run.stop(cancelled())
    await run.ended
    return true
  }

  /** Aborts the answers that other machines have cancelled, until the returned function is called. */
  followRemoteChanges(): () => void {
    return followEndedRuns(this.#deps, this.#live, (run) => run.stop(cancelled()))
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
    const timer = new AbortController()
    const grace = delay(graceMs, timer.signal).catch(() => undefined)
    await Promise.race([this.#requestedEnded(), grace])
    timer.abort()
    const requested = this.#requested()
    for (const run of requested) run.stop(new AppError('unavailable', 'The server is shutting down'))
    await Promise.all(requested.map((run) => run.ended))
  }

  #requested(): AgentRun[] {
    return [...this.#live.values()].filter((run) => !this.#nested.has(run))
  }

  async #requestedEnded(): Promise<void> {
    await Promise.allSettled(this.#starting)
    await Promise.all(this.#requested().map((run) => run.ended))
  }

  /** Waits until every run is recorded. */
  async idle(): Promise<void> {
    await Promise.all([...this.#live.values()].map((run) => run.ended))
  }

  async #generate(started: StartedRun): Promise<Generated> {
    const { agent, run, request, exchange } = started
    return this.#recordFailure(started, async () => {
      const answer = within(started, () => generate(agent, request))
      const generated = await abortable(answer, run.signal)
      await run.complete(generated, exchange(generated))
      return generated
    })
  }

  async *#send<Part>(started: StartedRun, stream: AnswerStream, format: AnswerFormat<Part>) {
    const { run, exchange } = started
    const ended = (failure?: unknown) => within(started, () => stream.end(failure))
    let end: Promise<Generated> | undefined
    let last: Part
    try {
      let failure: unknown
      try {
        for await (const part of abortableItems(format.read(stream, run), stream.signal)) yield part
      } catch (error) {
        failure = error
      }
      end = ended(failure)
      const generated = await abortable(end, run.signal)
      await run.complete(generated, exchange(generated))
      last = format.finished(generated, run)
    } catch (error) {
      await (run.signal.aborted ? run.abort() : run.fail(error))
      last = run.signal.aborted ? format.aborted() : format.failed(publicMessage(this.#public(error)))
    } finally {
      // a reader that disconnected stops the generator here; the agent's hooks still run
      end ??= ended()
      end.catch(() => undefined)
    }
    yield last
  }

  async #start(agent: Agent, call: AgentCall, of: RunOrigin = {}): Promise<StartedRun> {
    const { trace = call.trace ?? this.#deps.trace() } = of
    const span = startAgent(trace, agent, call)
    const traceId = span.spanIds?.traceId ?? of.traceId ?? this.#randomHex(16)
    const starting = this.#startWithin(span, agent, async () => {
      const callSubAgent = (run: AgentRun) => this.#subAgentsOf(call, { ...of, traceId }, run)
      const started = await startRun(agent, call, { ...this.#deps, ...of, traceId, span, callSubAgent })
      this.#live.set(started.run.id, started.run)
      return started
    })
    // not the promise itself, which would keep the whole run in memory
    const settled = starting.then(
      () => undefined,
      () => undefined,
    )
    this.#starting.add(settled)
    const started = await starting.finally(() => this.#starting.delete(settled))
    const { run } = started
    void run.ended.then(() => {
      this.#live.delete(run.id)
      this.#deps.hub.publish(run.id)
    })
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

  /** Answers the requests to sub-agents within a call; each answer is recorded as a run of its own. */
  #subAgentsOf(call: AgentCall, of: RunOrigin, requester: AgentRun): CallSubAgent {
    const { userId, conversationId, context } = call.options ?? {}
    const options = { userId, conversationId, context }
    return async (agent, { prompt: input, signal, trace }) => {
      const started = await this.#start(
        agent,
        { input, options, user: call.user, signal, withoutMemory: true },
        { ...of, trace, requester: 'agent', parentId: requester.id },
      )
      this.#nested.add(started.run)
      requester.nested.push(started.run)
      return this.#generate(started)
    }
  }

  /** Records the failure of a run when `work` throws, and rethrows. */
  async #recordFailure<T>({ run }: StartedRun, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await (run.signal.aborted ? run.abort() : run.fail(error))
      throw this.#public(error)
    }
  }

  /** Finds the agent, holds its code while it answers, and translates errors for the caller. */
  async #forCaller<T>(
    agentId: string,
    { signal }: AgentCall,
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

function cancelled(): AppError {
  return new AppError('unavailable', 'The answer was cancelled')
}

/** The message that callers receive; the details are in the log. */
function publicMessage(error: unknown): string {
  return error instanceof AppError ? error.message : FAILED_MESSAGE
}
