import type { Generated } from '../../agent/answer/generated.ts'
import type { RecordedCalls } from '../../agent/answer/journal/recorded-calls.ts'
import type { PartListener } from '../../agent/answer/live/part-listener.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import type { AnswerProgress, AnswerStream } from '../../agent/answer/stream-answer.ts'
import { UNKNOWN_USAGE, sumUsage } from '../../agent/answer/usage.ts'
import type { PendingCalls } from '../../agent/answer/waiting/pending-calls.ts'
import type { ResumedAnswer } from '../../agent/answer/waiting/resumed-answer.ts'
import type { ModelChoice } from '../../agent/models/model-choice.ts'
import { errorForCaller } from '../../agent/models/model-error.ts'
import type { Environment } from '../../agent/models/model-provider.ts'
import type { ModelPrices } from '../../agent/prices/model-price.ts'
import type { TrialChanges } from '../../agent/trial-agent.ts'
import type { HeldCalls } from '../../agent/tools/held-calls.ts'
import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import type { StepPlace } from '../../contract/usage/step-place.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError, messageOf, messageWithCause } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { redactErrorText } from '../../lib/redact/error-text.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { AgentRunEnd, AgentRunRow } from '../../store/agent-store.ts'
import type { RunSuspension } from '../../store/agents/agent-approvals.ts'
import type { RunningMessages } from '../../store/agents/conversation-store.ts'
import type { Store } from '../../store/store.ts'
import type { BudgetOrigin, Budgets } from '../budgets/budgets.ts'
import type { Extended } from '../conversations/summariser.ts'
import type { WorkingMemories } from '../conversations/working-memories.ts'
import type { EngineMeter } from '../engine-meter.ts'
import { RunAborted, StoreFailure } from '../run/errors.ts'
import type { Delivery } from './agent-call.ts'
import { endAgent } from './agent-span.ts'
import type { AnswerEnd } from './agent-span.ts'
import { approvalsOf, continuationText } from './continuation.ts'
import type { Continuation, AnswerFacts, StoredContinuation } from './continuation.ts'
import { expiryAt, expiryJob } from './expiry.ts'
import { AnswerUsage } from './answer-usage.ts'
import type { Logger } from 'pino'

/** The origin of a run that survives its process. */
export interface DurableOrigin {
  /** `null` for an answer that ends with its client. */
  readonly delivery: Delivery | null
  /** By which what requested it finds it again. */
  readonly requestKey?: string
  /** It has begun before: what it asks of sub-agents may have been asked. */
  readonly continued?: boolean
  /** Records its calls. */
  readonly calls: RecordedCalls
  /** Whether what requested it tries again after this failure. Then a run that has waited is kept for that. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}

/** The dependencies that all runs of a process share. */
export interface AnswerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly resultBytes: number
  readonly env: Environment
  readonly production: boolean
  readonly projectDir: string
  /** Records what models answer, or answers in their place. Default: models are called and nothing is recorded. */
  readonly modelRecorder?: ModelRecorder | undefined
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly meter: EngineMeter
  readonly budgets: Budgets
  readonly memories: WorkingMemories
  /** Whether the configuration has an auth provider. */
  readonly hasUsers: () => boolean
  /** Called when an answer has extended a conversation. */
  readonly onExtended: (extended: Extended) => void
  /** The prices of the current configuration. */
  readonly prices: () => ModelPrices
  /** How long a run waits for approvals and for tools of the client, in milliseconds. */
  readonly approvalsTimeoutMs: number
  /** The tool calls of suspended runs that wait for forms. */
  readonly heldCalls: HeldCalls
}

/** A run that was started, and the request to its model. */
export interface StartedAnswer {
  readonly answer: RunningAnswer
  readonly row: AgentRunRow
  readonly span: OpenSpan
  readonly generate: () => Promise<Generated>
  readonly stream: () => Promise<AnswerStream>
  /** What the run needs to continue when its answer waits. */
  readonly facts: AnswerFacts
}

/** The execution that a run belongs to. */
export interface AnswerOrigin {
  readonly traceId?: string
  readonly logger?: Logger
  /** The scope of the run's span. */
  readonly trace?: TraceScope | undefined
  /** Whose part it is. Default: a caller's. */
  readonly requester?: AgentRunRow['requester']
  /** The execution or the run that it is a part of. */
  readonly parentId?: string
  /** The step for which it answers, also as the sub-agent of another run. */
  readonly place?: StepPlace | undefined
  /** The budgets of what requested it. */
  readonly budgetOrigin?: BudgetOrigin | undefined
  /** Set for a run that another process can continue. */
  readonly durable?: DurableOrigin | undefined
  /** How long it waits for responses, in milliseconds. Default: as configured. */
  readonly approvalsTimeoutMs?: number
  /** Set for a trial. */
  readonly trial?: TrialChanges | undefined
  /** Receives the live parts of an answer to a step or an agent. */
  readonly listener?: PartListener | undefined
}

/** Dependencies of one run. */
export interface StartAnswerDeps
  extends
    AnswerDeps,
    Pick<AnswerOrigin, 'requester' | 'parentId' | 'place' | 'budgetOrigin' | 'durable' | 'listener'> {
  readonly traceId: string
  readonly span: OpenSpan
  /** Creates the function that calls sub-agents on behalf of the run. */
  readonly callSubAgent: (answer: RunningAnswer, resumed: ResumedAnswer | undefined) => CallSubAgent
}

/** What the record of a run in progress needs. */
export interface AnswerRecordDeps
  extends
    Pick<
      AnswerDeps,
      'store' | 'clock' | 'logger' | 'resultBytes' | 'redact' | 'production' | 'meter' | 'approvalsTimeoutMs'
    >,
    Pick<AnswerOrigin, 'place'> {
  /** Ends with the run. */
  readonly span: OpenSpan
  /** Called when the answer has extended a conversation. */
  readonly onStored?: (runningMessages: RunningMessages) => void
  /** With what it continues later. Set if another process continues the run when this one ends. */
  readonly continuation?: (() => StoredContinuation) | undefined
  /** Whether the step is tried again after this failure, and continues with the run. Set for a run that has waited. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}

/** How a run ended. */
type AnswerOutcome = Pick<AgentRunEnd, 'status'> & {
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

/** A run whose tool waits is as patient as the tool. */
const NEVER = Number.MAX_SAFE_INTEGER

type SuspendedPart = Partial<AnswerOutcome> & {
  readonly pending?: PendingCalls
  /** Default: when the time for responses is over. */
  readonly expiresAt?: number | undefined
}

/** An answer in progress, and its record. The first end counts. */
export class RunningAnswer {
  readonly id: string
  readonly traceId: string
  readonly agentId: string
  /** Aborts when the caller disconnects or the server stops. */
  readonly signal: AbortSignal
  /** Settles once the end is stored, or could not be. */
  readonly ended: Promise<void>
  /** The runs of sub-agents that it requested. */
  readonly nested: RunningAnswer[] = []
  /** A step or an agent: what it waits for is a part of what that waits for. */
  readonly #requester: AgentRunRow['requester']
  /** The usage of its own model calls. */
  readonly usage = new AnswerUsage()
  /** The answer, once it is recorded. */
  generated: Generated | undefined
  /** The answer so far while a tool waits; set for one of an execution. */
  waiting: (() => Promise<Generated>) | undefined
  /** The part before it continued. */
  earlier: Pick<Generated, 'steps' | 'usage'> | undefined
  /** The answer so far, when it is streamed. */
  progress: () => AnswerProgress | undefined = () => undefined
  /** Called before the end is stored. */
  beforeEnd: () => Promise<void> = () => Promise.resolve()
  readonly #deps: AnswerRecordDeps
  #model: string
  readonly #stop = new AbortController()
  readonly #close: () => void
  readonly #onAbort = () => void this.abort()
  #end: Promise<void> | undefined
  #hasLeft = false

  constructor(row: AgentRunRow, deps: AnswerRecordDeps, caller: AbortSignal) {
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
    this.#requester = row.requester
    this.signal = AbortSignal.any([caller, this.#stop.signal])
    this.signal.addEventListener('abort', this.#onAbort, { once: true })
    if (this.signal.aborted) this.#onAbort()
  }

  /** Whether the next attempt of its step continues with it after a failure; undefined if it does not after any. */
  get isRetried(): AnswerRecordDeps['isRetried'] {
    return this.#deps.isRetried
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
    return this.#deps.continuation !== undefined
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
  async complete(generated: Generated, runningMessages: RunningMessages | undefined): Promise<void> {
    const { text, object, usage, steps, finishReason, reason: blockedReason } = generated
    if (blockedReason !== undefined)
      return this.#finish({ status: 'completed', usage, steps, finishReason, blockedReason })
    const output = object === undefined ? text : object
    await this.#finish({ status: 'completed', output, usage, steps, finishReason }, runningMessages)
  }

  /**
   * Ends this part of the run: it waits for responses, and continues in another one.
   *
   * @throws the store's error.
   */
  async suspend(generated: Generated, continuation: Continuation): Promise<void> {
    const json = continuationText(continuation, this.#deps.resultBytes)
    this.#end ??= this.#storeSuspension(generated, { json, pending: continuation.waiting.pending })
    await this.#end
  }

  async fail(error: unknown): Promise<void> {
    const { logger, redact, span, production, isRetried } = this.#deps
    const { agentId, traceId, id: runId } = this
    const bindings = { agentId, runId, traceId, spanId: span.spanIds?.spanId }
    // an AppError's message is the reason; its stack adds nothing
    const reason = error instanceof AppError ? `: ${error.message}` : ''
    const err = error instanceof AppError ? error.cause : error
    logger.warn({ err, ...bindings }, `Agent "${agentId}" failed${reason}`)
    const texts = {
      error: redactErrorText(messageOf(errorForCaller(error, production)), redact),
      // the trace is for the operator, as the log is
      reason: redactErrorText(messageWithCause(error), redact),
    }
    // the failure of a sub-agent is a result for the agent that asked it
    if (this.#requester === 'step' && isRetried?.(error))
      return this.#keep({ status: 'error', error: redactErrorText(messageOf(error), redact) })
    await this.#finishOrLog({ status: 'error', ...texts, ...this.#soFar() })
  }

  async abort(): Promise<void> {
    const { isRetried } = this.#deps
    const reason = this.signal.reason as unknown
    if (this.isDurable && isContinued(reason)) return this.#leave()
    if (this.isDurable && toolWaits(reason)) return this.#keep({ status: 'suspended' }, NEVER)
    if (isRetried?.(reason)) return this.#keep({ status: 'error', error: messageOf(reason) })
    await this.#finishOrLog({ status: 'aborted', ...this.#soFar() })
  }

  /** Suspends the run, with its responses, until its step continues or is tried again. */
  #keep(end: Pick<AnswerEnd, 'status' | 'error'>, expiresAt?: number): Promise<void> {
    this.#end ??= this.#storeKept(end, expiresAt)
    return this.#end
  }

  async #storeKept(end: Pick<AnswerEnd, 'status' | 'error'>, expiresAt?: number): Promise<void> {
    const { usage, steps } = this.#soFar()
    this.#endPart({ ...end, usage })
    try {
      await this.beforeEnd()
      // its parts were stored when it began, and when it waited: it is not too large
      await this.#suspend(JSON.stringify(this.#deps.continuation?.()), { usage, steps, expiresAt })
    } catch (error) {
      // its step then finds it as after a crash
      this.#deps.logger.error({ err: error, runId: this.id }, 'An agent run could not be kept')
    } finally {
      this.#close()
    }
  }

  /** Ends here, and continues in another process. */
  #leave(): Promise<void> {
    this.#hasLeft ||= this.#end === undefined
    this.#end ??= this.#storeLeave()
    return this.#end
  }

  async #storeLeave(): Promise<void> {
    const { logger, span } = this.#deps
    this.signal.removeEventListener('abort', this.#onAbort)
    endAgent(span, { status: 'aborted' })
    try {
      await this.beforeEnd()
    } catch (error) {
      logger.warn({ err: error, runId: this.id }, 'The last parts of an agent run could not be stored')
    } finally {
      this.#close()
    }
  }

  #soFar(): Pick<AnswerOutcome, 'output' | 'usage' | 'steps'> {
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
  async #finishOrLog(outcome: AnswerOutcome): Promise<void> {
    try {
      await this.#finish(outcome)
    } catch (error) {
      this.#deps.logger.error({ err: error, runId: this.id }, 'The end of an agent run could not be stored')
    }
  }

  #finish(outcome: AnswerOutcome, runningMessages?: RunningMessages): Promise<void> {
    this.#end ??= this.#store(outcome, runningMessages)
    return this.#end
  }

  async #store(
    { status, output, error, reason, usage, steps, finishReason, blockedReason }: AnswerOutcome,
    runningMessages?: RunningMessages,
  ): Promise<void> {
    const { store, clock } = this.#deps
    this.#endPart({ status, output, error: reason, usage, finishReason, blockedReason })
    const end = {
      status,
      model: this.#model,
      blockedReason,
      endedAt: clock.now(),
      error: error ?? null,
      ...this.#stored({ output, usage, steps }),
    }
    try {
      await this.beforeEnd()
      const stored = await store.agentRuns.finish(this.id, end, runningMessages)
      if (stored && runningMessages) this.#deps.onStored?.(runningMessages)
    } finally {
      this.#close()
    }
  }

  async #storeSuspension(
    generated: Generated,
    { json, pending }: { readonly json: string; readonly pending: PendingCalls },
  ): Promise<void> {
    const { text, usage, steps, finishReason } = generated
    const output = text === '' ? undefined : text
    this.#endPart({ status: 'suspended', output, usage, finishReason })
    try {
      await this.beforeEnd()
      await this.#suspend(json, { usage, steps, output, pending })
    } finally {
      this.#close()
    }
  }

  /** Ends the span of a part of the run. */
  #endPart(end: AnswerEnd): void {
    const { meter, span } = this.#deps
    const { status } = end
    meter.agentRun({ agentId: this.agentId, model: this.#model, status, usage: this.usage.metered })
    this.signal.removeEventListener('abort', this.#onAbort)
    endAgent(span, end)
  }

  async #suspend(
    continuation: string,
    { usage, steps, output, pending, expiresAt: at }: SuspendedPart,
  ): Promise<void> {
    const { store, clock, approvalsTimeoutMs } = this.#deps
    const isNested = this.#requester !== null
    const suspendedAt = clock.now()
    const expiresAt = at ?? expiryAt(suspendedAt + approvalsTimeoutMs, isNested)
    const suspension: RunSuspension = {
      continuation,
      approvals: isNested || !pending ? [] : approvalsOf(this.id, pending),
      suspendedAt,
      expiresAt,
      ...this.#stored({ output, usage, steps }),
    }
    const jobs = expiresAt === NEVER ? undefined : { add: [expiryJob(this.id, expiresAt)] }
    await store.agentRuns.suspend(this.id, suspension, jobs)
  }

  #stored({ output, usage, steps }: Partial<AnswerOutcome>) {
    const { id: runId, agentId } = this
    const text = (value: unknown, name: string) => answerText(value, { name, runId }, this.#deps)
    const { place = null } = this.#deps
    const calls = this.usage.byModel(this.#model).map((each) => ({ agentId, place, ...each }))
    return { output: text(output, 'output'), usage: text(usage, 'usage'), steps: text(steps, 'steps'), calls }
  }
}

/** A value of a run as JSON text; `null` for none, or for one that is too large to be stored. */
function answerText(
  value: unknown,
  { name, runId }: { readonly name: string; readonly runId: string },
  { resultBytes: limit, logger }: Pick<AnswerRecordDeps, 'resultBytes' | 'logger'>,
): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text
  logger.warn({ runId }, `The ${name} of an agent run is too large to be stored`)
  return null
}

/** Whether a run that was aborted for this reason is continued, by the process that owns it or the next one. */
function isContinued(reason: unknown): boolean {
  if (reason instanceof RunAborted) return reason.code === 'stopping' || reason.code === 'fenced'
  return reason instanceof StoreFailure
}

/** Whether a run was aborted because a tool of it waits: it continues with its step. */
export function toolWaits(reason: unknown): boolean {
  return reason instanceof RunAborted && reason.code === 'suspending'
}
