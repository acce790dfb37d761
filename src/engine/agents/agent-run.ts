import type { Logger } from 'pino'
import type { Generated } from '../../agent/answer/generated.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { AnswerProgress } from '../../agent/answer/stream-answer.ts'
import { sumUsage } from '../../agent/answer/usage.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import { endAgent } from './agent-span.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { AgentRunEnd, AgentRunRow, AgentRunStore, Exchange } from '../../store/agent-store.ts'

interface RunRecordDeps {
  readonly runs: AgentRunStore
  readonly clock: Clock
  readonly logger: Logger
  /** The longest JSON that is stored of an answer, in bytes. */
  readonly limit: number
  /** Ends with the run. */
  readonly span: OpenSpan
  /** Takes secrets out of what errors say. */
  readonly redact: (text: string) => string
  readonly meter: EngineMeter
}

type Outcome = Pick<AgentRunEnd, 'status'> & {
  readonly output?: unknown
  readonly error?: string
  readonly usage?: Usage | undefined
  readonly steps?: unknown
}

/** One answer in the making, and its record. How it ends first is how it ended. */
export class AgentRun {
  readonly id: string
  readonly traceId: string
  readonly agentId: string
  /** Aborts when the caller leaves, or the server stops. */
  readonly signal: AbortSignal
  /** Settles once the end is stored, or could not be. */
  readonly ended: Promise<void>
  /** What sub-agents are asked for it. */
  readonly parts: AgentRun[] = []
  /** What there is of the answer, where it comes part by part. */
  progress: () => AnswerProgress | undefined = () => undefined
  readonly #means: RunRecordDeps
  readonly #model: string
  readonly #calls: Usage[] = []
  readonly #stop = new AbortController()
  readonly #close: () => void
  readonly #leave = () => void this.abort()
  #end: Promise<void> | undefined

  constructor(row: AgentRunRow, means: RunRecordDeps, caller: AbortSignal) {
    let close = () => undefined as void
    this.ended = new Promise((resolve) => {
      close = resolve
    })
    this.#close = close
    this.#means = means
    this.id = row.id
    this.traceId = row.traceId
    this.agentId = row.agentId
    this.#model = row.model
    this.signal = AbortSignal.any([caller, this.#stop.signal])
    this.signal.addEventListener('abort', this.#leave, { once: true })
    if (this.signal.aborted) this.#leave()
  }

  /** Ends the run from outside. */
  stop(reason: Error): void {
    this.#stop.abort(reason)
  }

  /** Adds what a call of its model spent. */
  spend(usage: Usage): void {
    this.#calls.push(usage)
  }

  /** What its calls spent so far, those of sub-agents among them; none while no model has told it. */
  get #spent(): readonly Usage[] {
    return [...this.#calls, ...this.parts.flatMap((part) => part.#spent)]
  }

  /** @throws what the store throws: an answer that is not on record was not given. */
  async complete(generated: Generated, exchange: Exchange | undefined): Promise<void> {
    const { text, object, usage, steps } = generated
    const output = object === undefined ? text : object
    await this.#finish({ status: 'completed', output, usage, steps }, exchange)
  }

  async fail(error: unknown): Promise<void> {
    const { logger, redact, span } = this.#means
    const { agentId, traceId, id: runId } = this
    const ties = { agentId, runId, traceId, spanId: span.place?.spanId }
    // where our own words tell the reason, a stack tells nothing more
    const told = error instanceof AppError ? `: ${error.message}` : ''
    const err = error instanceof AppError ? error.cause : error
    logger.warn({ err, ...ties }, `Agent "${agentId}" gave no answer${told}`)
    await this.#finishAnyhow({ status: 'error', error: redact(messageOf(error)), ...this.#soFar() })
  }

  async abort(): Promise<void> {
    await this.#finishAnyhow({ status: 'aborted', ...this.#soFar() })
  }

  #soFar(): Pick<Outcome, 'output' | 'usage' | 'steps'> {
    const { text, steps } = this.progress() ?? { text: '' }
    const spent = this.#spent
    const usage = spent.length === 0 ? undefined : sumUsage(spent)
    return { steps, usage, ...(text !== '' && { output: text }) }
  }

  /** A record that can't be ended now is ended by the next process: the reason goes into the log. */
  async #finishAnyhow(outcome: Outcome): Promise<void> {
    try {
      await this.#finish(outcome)
    } catch (error) {
      const { logger } = this.#means
      logger.error({ err: error, runId: this.id }, 'The end of an agent run could not be stored')
    }
  }

  #finish(outcome: Outcome, exchange?: Exchange): Promise<void> {
    this.#end ??= this.#store(outcome, exchange)
    return this.#end
  }

  async #store({ status, output, error, usage, steps }: Outcome, exchange?: Exchange): Promise<void> {
    const { runs, clock, meter } = this.#means
    // what sub-agents spent is counted with their own runs
    meter.agentRun({ agentId: this.agentId, model: this.#model, status, usage: sumUsage(this.#calls) })
    this.signal.removeEventListener('abort', this.#leave)
    endAgent(this.#means.span, { status, output, error, usage })
    const end = {
      status,
      endedAt: clock.now(),
      error: error ?? null,
      output: this.#json(output, 'output'),
      usage: this.#json(usage, 'usage'),
      steps: this.#json(steps, 'steps'),
    }
    try {
      await runs.finish(this.id, end, exchange)
    } finally {
      this.#close()
    }
  }

  #json(value: unknown, what: string): string | null {
    if (value === undefined) return null
    const text = JSON.stringify(value)
    const { limit, logger } = this.#means
    if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text
    logger.warn({ runId: this.id }, `The ${what} of an agent run is too large to be kept`)
    return null
  }
}
