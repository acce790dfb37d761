import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import { generate } from '../../agent/answer/generate.ts'
import type { Generated } from '../../agent/answer/generate.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import { type AnswerStream, streamAnswer } from '../../agent/answer/stream-answer.ts'
import type { AgentAnswer, AgentObject } from '../../contract/endpoints/agent.ts'
import { abortable, abortableItems } from '../../lib/async/abortable.ts'
import { delay } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { PassingMap } from '../../lib/async/passing-map.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { TracedQuestion } from '../run/run-context.ts'
import { startAgent } from './agent-span.ts'
import type { Registry } from '../registry.ts'
import type { AgentCall } from './agent-call.ts'
import { objectAnswer, textAnswer } from './agent-records.ts'
import type { AgentRun } from './agent-run.ts'
import { type StartedRun, beginRun, type AgentRunDeps } from './begin-run.ts'

export interface AgentsOptions extends AgentRunDeps {
  /** The agents as they are now, held for as long as a run needs them. */
  readonly hold: () => { readonly registry: Registry; release(): void }
  /** Where traces begin. */
  readonly trace: () => TraceScope
}

/** What callers are told of an error whose reason is not for them. */
export const FAILED = 'Agent execution failed'

/** Why a run ended that an earlier process had left running. */
export const STRANDED = 'The server stopped before the answer was complete'

/** The execution that a run belongs to. */
interface RunOrigin {
  readonly traceId?: string
  readonly logger?: Logger
  /** What the run's span is below. */
  readonly trace?: TraceScope | undefined
}

/** Runs agents, for callers of the API and for steps alike, and remembers what they said. */
export class AgentRunner {
  readonly #options: AgentsOptions
  readonly #live = new PassingMap<AgentRun>()
  /** Those that are not on record yet. */
  readonly #beginning = new Set<Promise<void>>()
  /** Those that end with the step or the answer that they are a part of. */
  readonly #parts = new WeakSet<AgentRun>()
  readonly #randomHex = randomHexGenerator()

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  isRunning(agentId: string): boolean {
    return this.#live.values().some((run) => run.agentId === agentId)
  }

  /** @throws AppError `invalid_input`, `not_found`, `unavailable`, or `execution_failed`. */
  text(agentId: string, call: AgentCall): Promise<AgentAnswer> {
    return this.#forCaller(agentId, call, async (agent) => {
      const begun = await this.#begin(agent, call)
      return textAnswer(await this.#generate(agent, begun), begun.run)
    })
  }

  /** @throws AppError as `text` does; `invalid_input` also when the schema can't be compiled. */
  object(agentId: string, call: AgentCall): Promise<AgentObject> {
    return this.#forCaller(agentId, call, async (agent) => {
      const begun = await this.#begin(agent, call)
      return objectAnswer(await this.#generate(agent, begun), begun.run)
    })
  }

  /** The answer part by part. What goes wrong before its first part is thrown as by `text`. */
  stream<Part>(agentId: string, call: AgentCall, format: AnswerFormat<Part>): Promise<AsyncGenerator<Part>> {
    return this.#forCaller(agentId, call, async (agent, keep) => {
      const begun = await this.#begin(agent, call)
      const { request } = begun
      const stream = await this.#orFail(begun, () => within(begun, () => streamAnswer(agent, request)))
      begun.run.progress = () => stream.progress()
      keep(begun.run.ended)
      return this.#send(begun, stream, format)
    })
  }

  /** Has an agent answer on behalf of a step, whose code is held by its execution. */
  async ask(agent: Agent, question: TracedQuestion & { readonly traceId: string }): Promise<Generated> {
    const { prompt: input, schema, signal, user, traceId, logger, trace } = question
    const { context, userId, conversationId } = question
    const options = { userId, conversationId, context }
    const begun = await this.#begin(
      agent,
      { input, schema, options, user, signal },
      { traceId, logger, trace },
    )
    this.#parts.add(begun.run)
    return this.#generate(agent, begun)
  }

  /**
   * Breaks off an answer that somebody called for, and waits until that is on record. `false` when it does not run
   * here; answers that are a part of something end with it.
   */
  async cancel(runId: string): Promise<boolean> {
    const run = this.#live.get(runId)
    if (!run || this.#parts.has(run)) return false
    run.stop(new AppError('unavailable', 'The answer was cancelled'))
    await run.ended
    return true
  }

  /** Ends what an earlier process left running. */
  async recover(): Promise<void> {
    const { store, clock, logger } = this.#options
    const end = { status: 'error', endedAt: clock.now(), error: STRANDED } as const
    const count = await store.agentRuns.endStranded(end)
    if (count > 0) logger.info(`Ended ${count} agent run(s) that an earlier process left`)
  }

  /** Lets answers come to their end for `graceMs`, then breaks them off, and with them what is a part of them. */
  async stop(graceMs: number): Promise<void> {
    const timer = new AbortController()
    const grace = delay(graceMs, timer.signal).catch(() => undefined)
    await Promise.race([this.#callsEnded(), grace])
    timer.abort()
    const called = this.#called()
    for (const run of called) run.stop(new AppError('unavailable', 'The server is shutting down'))
    await Promise.all(called.map((run) => run.ended))
  }

  #called(): AgentRun[] {
    return this.#live.values().filter((run) => !this.#parts.has(run))
  }

  async #callsEnded(): Promise<void> {
    await Promise.allSettled(this.#beginning)
    await Promise.all(this.#called().map((run) => run.ended))
  }

  /** Waits until every run is on record. */
  async idle(): Promise<void> {
    await Promise.all(this.#live.values().map((run) => run.ended))
  }

  async #generate(agent: Agent, begun: StartedRun): Promise<Generated> {
    const { run, request, exchange } = begun
    return this.#orFail(begun, async () => {
      const answer = within(begun, () => generate(agent, request))
      const generated = await abortable(answer, run.signal)
      await run.complete(generated, exchange(generated))
      return generated
    })
  }

  async *#send<Part>(begun: StartedRun, stream: AnswerStream, format: AnswerFormat<Part>) {
    const { run, exchange } = begun
    const ended = (failure?: unknown) => within(begun, () => stream.end(failure))
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
      last = run.signal.aborted ? format.aborted() : format.failed(told(error))
    } finally {
      // a reader that left gets no further than its last part; the agent's hooks are told all the same
      end ??= ended()
      end.catch(() => undefined)
    }
    yield last
  }

  async #begin(agent: Agent, call: AgentCall, of: RunOrigin = {}): Promise<StartedRun> {
    const { trace = call.trace ?? this.#options.trace() } = of
    const span = startAgent(trace, agent, call)
    const traceId = span.place?.traceId ?? of.traceId ?? this.#randomHex(16)
    const beginning = this.#beginWithin(span, async () => {
      const callSubAgent = (run: AgentRun) => this.#subAgentsOf(call, { ...of, traceId }, run)
      const begun = await beginRun(agent, call, { ...this.#options, ...of, traceId, span, callSubAgent })
      this.#live.set(begun.run.id, begun.run)
      return begun
    })
    // not the promise itself, which holds all of the run
    const over = beginning.then(
      () => undefined,
      () => undefined,
    )
    this.#beginning.add(over)
    const begun = await beginning.finally(() => this.#beginning.delete(over))
    const { run } = begun
    void run.ended.then(() => this.#live.delete(run.id))
    return begun
  }

  /** A run that does not even begin ends its span. */
  async #beginWithin<T>(span: OpenSpan, begin: () => Promise<T>): Promise<T> {
    try {
      return await begin()
    } catch (error) {
      span.fail(error)
      span.end()
      throw error
    }
  }

  /** Has sub-agents answer within a call, each answer on record by itself. */
  #subAgentsOf(call: AgentCall, of: RunOrigin, asking: AgentRun): CallSubAgent {
    const { userId, conversationId, context } = call.options ?? {}
    const options = { userId, conversationId, context }
    return async (agent, { prompt: input, signal, trace }) => {
      const begun = await this.#begin(
        agent,
        { input, options, user: call.user, signal, withoutMemory: true },
        { ...of, trace },
      )
      this.#parts.add(begun.run)
      asking.parts.push(begun.run)
      return this.#generate(agent, begun)
    }
  }

  /** Records that a run failed where `work` throws, and throws on. */
  async #orFail<T>({ run }: StartedRun, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await (run.signal.aborted ? run.abort() : run.fail(error))
      throw error
    }
  }

  /** Finds the agent, holds its code while it answers, and puts what goes wrong in the caller's words. */
  async #forCaller<T>(
    agentId: string,
    { signal }: AgentCall,
    work: (agent: Agent, keep: (until: Promise<void>) => void) => Promise<T>,
  ): Promise<T> {
    const hold = this.#options.hold()
    let held: Promise<void> = Promise.resolve()
    try {
      return await work(hold.registry.agent(agentId), (until) => {
        held = until
      })
    } catch (error) {
      if (error instanceof AppError) throw error
      if (signal.aborted) throw new AppError('unavailable', 'The call was broken off', { cause: error })
      throw new AppError('execution_failed', FAILED, { cause: error })
    } finally {
      void held.then(() => hold.release())
    }
  }
}

/** Runs the user's code so that its own spans come below the answer's. */
function within<T>({ request: { trace } }: StartedRun, work: () => T): T {
  return trace ? trace.run(work) : work()
}

/** What callers are told of an error; the rest of it is in the log. */
function told(error: unknown): string {
  return error instanceof AppError ? error.message : FAILED
}
