import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type {
  CallRecord,
  RecordedCalls,
  RecordedToolCall,
} from '../../agent/answer/journal/recorded-calls.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { AppError } from '../../lib/errors.ts'
import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { Store } from '../../store/store.ts'
import { whenAvailable } from '../database-outage.ts'
import type { AnswerExecutions, CopiedExecution, ResumedWait } from '../executions/answers.ts'
import type { Run } from '../run/run.ts'
import type { ExecutionQuestion, StepAnswer } from '../run/run-context.ts'
import { findAnswer, hasObject, recordedAnswer, waitingAnswerOf } from './durable/earlier-answer.ts'
import type { ClaimedAnswer } from './durable/earlier-answer.ts'
import { toolWaits } from './running-answer.ts'
import type { KeptAnswers } from './durable/kept-answers.ts'
import { formatOf } from './durable/delivery-formats.ts'
import { continuationIn } from './responses/answer-responses.ts'
import type { RunningAnswers } from './running-answers.ts'
import type { StartedAnswer } from './running-answer.ts'

interface ExecutedAnswersDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Receives the id of a run that has ended. */
  readonly hub: EventHub
  readonly running: RunningAnswers
  readonly kept: KeptAnswers
  readonly executions: () => AnswerExecutions
}

/** Generates an answer, for whoever waits for it here. */
export type Generate = (started: StartedAnswer) => Promise<Generated>

/** An answer that this process begins, or continues with. */
interface LocalAnswer {
  readonly generate: Generate
  readonly begun?: { readonly started: StartedAnswer; readonly calls: DeferredCalls } | undefined
}

/** The calls of an answer whose execution begins once the answer is recorded. */
export class DeferredCalls implements RecordedCalls {
  #calls: RecordedCalls | undefined

  begin(calls: RecordedCalls): void {
    this.#calls = calls
  }

  answer(number: number): unknown {
    return this.#begun.answer(number)
  }

  recordAnswer(number: number, answer: unknown, isLast: boolean): Promise<void> {
    return this.#begun.recordAnswer(number, answer, isLast)
  }

  forgetAnswer(number: number): void {
    this.#begun.forgetAnswer(number)
  }

  make<Result>(call: RecordedToolCall, body: (record: CallRecord) => Promise<Result>): Promise<Result> {
    return this.#begun.make(call, body)
  }

  has(toolCallId: string): boolean {
    return this.#begun.has(toolCallId)
  }

  restart(): void {
    this.#begun.restart()
  }

  get #begun(): RecordedCalls {
    if (!this.#calls) throw new TypeError('The execution of the answer has not begun')
    return this.#calls
  }
}

/** The answers to clients that survive their process: each is an execution with one step, which has the answer. */
export class ExecutedAnswers {
  readonly #deps: ExecutedAnswersDeps
  readonly #local = new Map<string, LocalAnswer>()

  constructor(deps: ExecutedAnswersDeps) {
    this.#deps = deps
  }

  /** Generates an answer that was started here, in an execution. Resolves also when a tool of it waits. */
  begin(agent: Agent, begun: NonNullable<LocalAnswer['begun']>, generate: Generate): Promise<Generated> {
    return this.replay(agent, { begun, copied: {} }, generate)
  }

  /** Generates an answer that begins with recorded calls of another one. */
  replay(
    agent: Agent,
    {
      begun,
      copied,
    }: { readonly begun: NonNullable<LocalAnswer['begun']>; readonly copied: CopiedExecution },
    generate: Generate,
  ): Promise<Generated> {
    const { row, facts } = begun.started
    const answer = { row, user: facts.user }
    return this.#follow(row.id, { generate, begun }, () =>
      this.#deps.executions().start(agent, answer, copied),
    )
  }

  /** Goes on with a run that has its responses, in an execution. */
  continue(agent: Agent, row: AgentRunRow, generate: Generate): Promise<Generated> {
    return this.#follow(row.id, { generate }, () => this.#execute(agent, row))
  }

  /** Resumes a wait of a tool. */
  resume(
    id: string,
    { onResumed, ...wait }: ResumedWait & { readonly onResumed: () => void },
    generate: Generate,
  ): Promise<Generated> {
    return this.#follow(id, { generate }, async () => {
      const run = await this.#deps.executions().resume(id, wait)
      onResumed()
      return run
    })
  }

  /** Goes on with a run whose process has ended, unless its execution does that. */
  async recover(agent: Agent, row: AgentRunRow): Promise<void> {
    const execution = await this.#deps.executions().find(row.id)
    if (execution?.status === 'running') return
    await this.#execute(agent, row)
  }

  /** The execution of an answer continues, or begins. */
  async #execute(agent: Agent, row: AgentRunRow): Promise<Run> {
    const executions = this.#deps.executions()
    const continued = await executions.continue(row.id)
    if (continued) return continued
    const continuation = continuationIn(await this.#deps.store.agentRuns.continuation(row.id))
    return executions.start(agent, { row, user: continuation?.user ?? null })
  }

  /** Answers the step of an execution. */
  async answer(agent: Agent, { execution: { id }, signal, request }: ExecutionQuestion): Promise<StepAnswer> {
    if (!request) throw new TypeError('The step of an answer asks without a record')
    const { calls } = request
    const local = this.#local.get(id)
    this.#local.delete(id)
    const { generate = (one: StartedAnswer) => this.#byDelivery(one), begun } = local ?? {}
    if (begun) {
      const { started } = begun
      begun.calls.begin(calls)
      const stop = () => started.answer.stop(signal.reason as Error)
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      try {
        return { ...(await generate(started)), runId: id }
      } finally {
        // Node.js keeps a signal that follows others, and all that it leads to, as long as it has a listener
        signal.removeEventListener('abort', stop)
      }
    }
    const { store, clock, running } = this.#deps
    const deps = { runs: store.agentRuns, clock, stopHere: (runId: string) => running.stopHere(runId) }
    const find = () => findAnswer(id, deps)
    const { answered, waiting, claimed } = await whenAvailable(store, find, signal)
    if (answered) return { ...recordedAnswer(answered, false), runId: id }
    if (waiting) return { ...waitingAnswerOf(waiting), runId: id }
    if (!claimed) throw new AppError('execution_failed', 'The answer was aborted')
    const resumed = await this.#reopen(agent, claimed, { calls, signal })
    return { ...(await generate(resumed)), runId: id }
  }

  /** Goes on with a claimed run. One that can't be started has failed. */
  async #reopen(
    agent: Agent,
    claimed: ClaimedAnswer,
    { calls, signal }: { readonly calls: RecordedCalls; readonly signal: AbortSignal },
  ): Promise<StartedAnswer> {
    const { delivery, schema: stored } = claimed.continuation
    try {
      const schema = stored === null ? undefined : readCallerSchema(stored)
      const durable = { delivery, continued: true, calls }
      return await this.#deps.running.resume(agent, { ...claimed, schema, signal }, { durable })
    } catch (error) {
      if (!signal.aborted) await this.#fail(claimed.row, error)
      throw error
    }
  }

  /** Ends a run that can't continue: it waits for nothing any more. */
  async #fail({ id, agentId }: AgentRunRow, cause: unknown): Promise<void> {
    const { store, clock, hub, logger } = this.#deps
    logger.warn({ err: cause, agentId, runId: id }, 'An agent run could not be continued')
    const error = cause instanceof AppError ? cause.message : 'The answer could not be continued'
    const end = { output: null, usage: null, steps: null, endedAt: clock.now() }
    try {
      await store.agentRuns.finish(id, { ...end, status: 'error', error })
    } catch (err) {
      logger.error({ err, runId: id }, 'The end of an agent run could not be stored')
    }
    hub.publish(id)
  }

  /** Nobody waits for it here: clients read its stream. */
  async #byDelivery(started: StartedAnswer): Promise<Generated> {
    const { running } = this.#deps
    const [row] = await this.#deps.store.agentRuns.list({ id: started.answer.id }, { limit: 1, offset: 0 })
    const format = row && formatOf(started.facts.delivery, row)
    return format ? this.keep(started, format) : running.generate(started)
  }

  /** Generates a stream that clients can read from its start. */
  async keep<Part>(
    started: StartedAnswer,
    format: AnswerFormat<Part>,
    onOpen?: () => void,
  ): Promise<Generated> {
    const { answer } = started
    const { kept, running } = this.#deps
    kept.keep(answer, await running.stream(started, format, () => kept.isRead(answer.id)))
    onOpen?.()
    await answer.ended
    if (answer.generated) return answer.generated
    answer.signal.throwIfAborted()
    throw new AppError('execution_failed', 'The answer has failed')
  }

  async #follow(id: string, local: LocalAnswer, start: () => Promise<Run>): Promise<Generated> {
    if (this.#local.has(id)) throw new AppError('conflict', `Another request goes on with run ${id}`)
    const answer = createDeferred<Generated>()
    let isAnswered = false
    const generate: Generate = async (started) => {
      started.answer.waiting = async () => {
        await executed.promise
        return this.#waiting(id)
      }
      try {
        const generated = await local.generate(started)
        isAnswered = true
        answer.resolve(generated)
        return generated
      } catch (error) {
        if (!toolWaits(started.answer.signal.reason)) answer.reject(error)
        throw error
      }
    }
    const executed = createDeferred<void>()
    this.#local.set(id, { ...local, generate })
    try {
      const run = await start()
      void run.ended.then(() => executed.resolve())
    } catch (error) {
      this.#local.delete(id)
      await local.begun?.started.answer.fail(error)
      throw error
    }
    // a tool waits, or the step did not ask
    void executed.promise.then(async () => {
      if (isAnswered) return
      await this.#waiting(id).then(answer.resolve, answer.reject)
    })
    answer.promise.catch(() => undefined)
    return answer.promise
  }

  /** The answer so far, whose tools wait. */
  async #waiting(id: string): Promise<Generated> {
    const { store, executions } = this.#deps
    const [row] = await store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    if (row?.status === 'error') throw new AppError('execution_failed', row.error ?? 'The agent failed')
    if (row?.status === 'completed') return recordedAnswer(row, hasObject(row))
    if (row?.status !== 'suspended')
      throw new AppError('unavailable', 'The answer was stopped, or goes on in another process')
    const waits = await executions().waits(id)
    const pending = { approvals: [], toolCalls: [], subAgents: [], waits }
    return {
      ...recordedAnswer({ ...row, output: row.output ?? '""' }, false),
      finishReason: 'suspended',
      pending,
    }
  }
}
