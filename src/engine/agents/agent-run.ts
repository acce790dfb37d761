import type { Logger } from 'pino'
import type { Generated } from '../../agent/answer/generated.ts'
import type { ModelChoice } from '../../agent/models/model-choice.ts'
import { errorForCaller } from '../../agent/models/model-error.ts'
import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import type { AnswerProgress } from '../../agent/answer/stream-answer.ts'
import { sumUsage, UNKNOWN_USAGE } from '../../agent/answer/usage.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import { endAgent } from './agent-span.ts'
import type { Clock } from '../../lib/clock.ts'
import { redactErrorText } from '../../lib/redact/error-text.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { RunAborted } from '../run/errors.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { RunSuspension } from '../../store/agents/agent-approvals.ts'
import type { AgentRunEnd, AgentRunRow, AgentRunStore } from '../../store/agent-store.ts'
import type { ModelCalls, StepPlace } from '../../store/usage/usage-store.ts'
import type { Exchange } from '../../store/agents/conversation-store.ts'
import { RunUsage } from './start/run-usage.ts'
import { approvalsOf, type Continuation } from './continuation.ts'
import { isContinued } from './durable/is-continued.ts'
import { expiryJob } from './expiry.ts'

interface AgentRunRecordDeps {
  readonly runs: AgentRunStore
  readonly clock: Clock
  readonly logger: Logger
  /** The maximum size of a stored answer as JSON, in bytes. */
  readonly limit: number
  /** Ends with the run. */
  readonly span: OpenSpan
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly production: boolean
  readonly meter: EngineMeter
  /** How long it waits for responses, in milliseconds. */
  readonly approvalsTimeoutMs: number
  /** Called when the answer has extended a conversation. */
  readonly onStored: (exchange: Exchange) => void
  /** The step for which it answers; undefined for the run of a caller. */
  readonly place: StepPlace | undefined
  /** Another process continues the run when this one ends. */
  readonly isDurable: boolean
}

/** A nested run gets its responses with the step or the run that asked it, and so waits longer. */
const NESTED_GRACE_MS = 24 * 3_600_000

type Outcome = Pick<AgentRunEnd, 'status'> & {
  readonly output?: unknown
  /** For the record, which callers may read. */
  readonly error?: string
  /** For the span. */
  readonly reason?: string
  readonly usage?: Usage | undefined
  readonly steps?: unknown
  readonly finishReason?: FinishReason
  /** Why a guardrail blocked it. */
  readonly blockedReason?: string
}

/** An answer in progress, and its record. The first end counts. */
export class AgentRun {
  readonly id: string
  readonly traceId: string
  readonly agentId: string
  /** Aborts when the caller disconnects or the server stops. */
  readonly signal: AbortSignal
  /** Settles once the end is stored, or could not be. */
  readonly ended: Promise<void>
  /** The runs of sub-agents that it requested. */
  readonly nested: AgentRun[] = []
  /** Whether a step or an agent requested it: what it waits for is a part of what that waits for. */
  readonly isNested: boolean
  /** The usage of its own model calls. */
  readonly usage = new RunUsage()
  /** The part before it went on. */
  earlier: Pick<Generated, 'steps' | 'usage'> | undefined
  /** The answer so far, when it is streamed. */
  progress: () => AnswerProgress | undefined = () => undefined
  /** Called before the end is stored. */
  beforeEnd: () => Promise<void> = () => Promise.resolve()
  readonly #deps: AgentRunRecordDeps
  #model: string
  readonly #stop = new AbortController()
  readonly #close: () => void
  readonly #onAbort = () => void this.abort()
  #end: Promise<void> | undefined
  #hasLeft = false

  constructor(row: AgentRunRow, deps: AgentRunRecordDeps, caller: AbortSignal) {
    let close = () => undefined as void
    this.ended = new Promise((resolve) => {
      close = resolve
    })
    this.#close = close
    this.#deps = deps
    this.id = row.id
    this.traceId = row.traceId
    this.agentId = row.agentId
    this.#model = row.model
    this.isNested = row.requester !== null
    this.signal = AbortSignal.any([caller, this.#stop.signal])
    this.signal.addEventListener('abort', this.#onAbort, { once: true })
    if (this.signal.aborted) this.#onAbort()
  }

  /** Whether its end is being stored, or was. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Whether another process continues it. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Whether another process continues it when this one ends. */
  get isDurable(): boolean {
    return this.#deps.isDurable
  }

  /** Aborts the run. */
  stop(reason: Error): void {
    this.#stop.abort(reason)
  }

  /** Records that another model than the first one answers. */
  setModel({ provider, modelId }: Pick<ModelChoice, 'provider' | 'modelId'>): void {
    this.#model = `${provider}/${modelId}`
  }

  /** The usage of its model calls so far, sub-agents included. */
  get #usages(): readonly Usage[] {
    return [...this.usage.soFar, ...this.nested.flatMap((part) => part.#usages)]
  }

  /** @throws the store's error: an answer counts only when it is recorded. */
  async complete(generated: Generated, exchange: Exchange | undefined): Promise<void> {
    const { text, object, usage, steps, finishReason, reason: blockedReason } = generated
    if (blockedReason !== undefined)
      return this.#finish({ status: 'completed', usage, steps, finishReason, blockedReason })
    const output = object === undefined ? text : object
    await this.#finish({ status: 'completed', output, usage, steps, finishReason }, exchange)
  }

  /**
   * Ends this part of the run: it waits for responses, and goes on in another one.
   *
   * @throws the store's error.
   */
  async suspend(generated: Generated, continuation: Continuation): Promise<void> {
    this.#end ??= this.#storeSuspension(generated, continuation)
    await this.#end
  }

  async fail(error: unknown): Promise<void> {
    const { logger, redact, span, production } = this.#deps
    const { agentId, traceId, id: runId } = this
    const bindings = { agentId, runId, traceId, spanId: span.spanIds?.spanId }
    // an AppError's message is the reason; its stack adds nothing
    const reason = error instanceof AppError ? `: ${error.message}` : ''
    const err = error instanceof AppError ? error.cause : error
    logger.warn({ err, ...bindings }, `Agent "${agentId}" failed${reason}`)
    const texts = {
      error: redactErrorText(messageOf(errorForCaller(error, production)), redact),
      reason: redactErrorText(messageOf(error), redact),
    }
    await this.#finishOrLog({ status: 'error', ...texts, ...this.#soFar() })
  }

  async abort(): Promise<void> {
    if (this.#deps.isDurable && isContinued(this.signal.reason)) return this.#leave(this.signal.reason)
    await this.#finishOrLog({ status: 'aborted', ...this.#soFar() })
  }

  /** Ends here, and continues in another process. */
  #leave(reason: unknown): Promise<void> {
    this.#hasLeft ||= this.#end === undefined
    this.#end ??= this.#storeLeave(reason instanceof RunAborted && reason.code === 'stopping')
    return this.#end
  }

  async #storeLeave(isOrderly: boolean): Promise<void> {
    const { runs, logger, span } = this.#deps
    this.signal.removeEventListener('abort', this.#onAbort)
    endAgent(span, { status: 'aborted' })
    try {
      await this.beforeEnd()
      if (isOrderly) await runs.leave([this.id])
    } catch (error) {
      // it then counts as a crash
      logger.warn({ err: error, runId: this.id }, 'The stop of an agent run could not be stored')
    } finally {
      this.#close()
    }
  }

  #soFar(): Pick<Outcome, 'output' | 'usage' | 'steps'> {
    const { text, steps } = this.progress() ?? { text: '' }
    const { earlier } = this
    const usages = [...(earlier ? [earlier.usage] : []), ...this.#usages]
    // with nothing but an unknown call there is nothing to record
    const isKnown = usages.some((one) => one !== UNKNOWN_USAGE)
    const usage = isKnown ? sumUsage(usages) : undefined
    return {
      steps: earlier ? [...earlier.steps, ...(steps ?? [])] : steps,
      usage,
      ...(text !== '' && { output: text }),
    }
  }

  /** A record that can't be finished now is finished by the next process. */
  async #finishOrLog(outcome: Outcome): Promise<void> {
    try {
      await this.#finish(outcome)
    } catch (error) {
      const { logger } = this.#deps
      logger.error({ err: error, runId: this.id }, 'The end of an agent run could not be stored')
    }
  }

  #finish(outcome: Outcome, exchange?: Exchange): Promise<void> {
    this.#end ??= this.#store(outcome, exchange)
    return this.#end
  }

  async #store(
    { status, output, error, reason, usage, steps, finishReason, blockedReason }: Outcome,
    exchange?: Exchange,
  ): Promise<void> {
    const { runs, clock, meter } = this.#deps
    meter.agentRun({ agentId: this.agentId, model: this.#model, status, usage: this.usage.metered })
    this.signal.removeEventListener('abort', this.#onAbort)
    endAgent(this.#deps.span, { status, output, error: reason, usage, finishReason, blockedReason })
    const end = {
      status,
      model: this.#model,
      blockedReason,
      endedAt: clock.now(),
      error: error ?? null,
      output: this.#json(output, 'output'),
      usage: this.#json(usage, 'usage'),
      steps: this.#json(steps, 'steps'),
      calls: this.#calls(),
    }
    try {
      await this.beforeEnd()
      const stored = await runs.finish(this.id, end, exchange)
      if (stored && exchange) this.#deps.onStored(exchange)
    } finally {
      this.#close()
    }
  }

  async #storeSuspension(generated: Generated, continuation: Continuation): Promise<void> {
    const { runs, clock, meter, span, approvalsTimeoutMs, limit } = this.#deps
    const { pending } = continuation.waiting
    const { text, usage, steps, finishReason } = generated
    const json = JSON.stringify(continuation)
    if (Buffer.byteLength(json) > limit)
      throw new AppError('execution_failed', 'The run is too large to wait for responses')
    const metered = { agentId: this.agentId, model: this.#model, usage: this.usage.metered }
    meter.agentRun({ ...metered, status: 'suspended' })
    this.signal.removeEventListener('abort', this.#onAbort)
    endAgent(span, { status: 'suspended', output: text === '' ? undefined : text, usage, finishReason })
    await this.beforeEnd()
    const suspendedAt = clock.now()
    const expiresAt = suspendedAt + approvalsTimeoutMs + (this.isNested ? NESTED_GRACE_MS : 0)
    const suspension: RunSuspension = {
      continuation: json,
      approvals: this.isNested ? [] : approvalsOf(this.id, pending),
      suspendedAt,
      expiresAt,
      output: text === '' ? null : this.#json(text, 'output'),
      usage: this.#json(usage, 'usage'),
      steps: this.#json(steps, 'steps'),
      calls: this.#calls(),
    }
    try {
      await runs.suspend(this.id, suspension, { add: [expiryJob(this.id, expiresAt)] })
    } finally {
      this.#close()
    }
  }

  #calls(): ModelCalls[] {
    const place = this.#deps.place ?? null
    return this.usage.byModel(this.#model).map((calls) => ({ agentId: this.agentId, place, ...calls }))
  }

  #json(value: unknown, name: string): string | null {
    if (value === undefined) return null
    const text = JSON.stringify(value)
    const { limit, logger } = this.#deps
    if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text
    logger.warn({ runId: this.id }, `The ${name} of an agent run is too large to be stored`)
    return null
  }
}
