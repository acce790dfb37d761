import type { Logger } from 'pino'
import type { User } from '../../contract/auth.ts'
import type { GetStepResult, StepContext } from '../../workflow/step-context.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { DurableIo, StepTask, SuspendRequest } from './durable-io.ts'
import { SuspendSignal } from './errors.ts'
import type { RunContext } from './run-context.ts'
import { encodeJson } from '../record/values.ts'

export interface AttemptParts {
  readonly io: DurableIo
  readonly task: StepTask
  readonly data: unknown
  readonly attempt: number
  readonly signal: () => AbortSignal
  readonly resumeData: unknown
  readonly trace: TraceScope
}

/** The context that a step's functions receive. Members that are costly to make are made on first use. */
export class AttemptContext implements StepContext {
  readonly #run: RunContext
  readonly #parts: AttemptParts
  /** The argument of `suspend()`. It counts even if the function catches the signal and returns. */
  suspended: SuspendRequest | undefined

  constructor(run: RunContext, parts: AttemptParts) {
    this.#run = run
    this.#parts = parts
  }

  get data(): unknown {
    return this.#parts.data
  }

  get input(): unknown {
    return JSON.parse(this.#run.input)
  }

  get context(): Readonly<Record<string, unknown>> {
    return JSON.parse(this.#run.context) as Record<string, unknown>
  }

  get userId(): string | undefined {
    return this.#run.userId
  }

  get user(): User | undefined {
    return this.#run.user === null ? undefined : (JSON.parse(this.#run.user) as User)
  }

  get resumedBy(): User | undefined {
    return this.#run.resumedUser === null ? undefined : (JSON.parse(this.#run.resumedUser) as User)
  }

  get conversationId(): string | undefined {
    return this.#run.conversationId
  }

  get executionId(): string {
    return this.#parts.io.executionId
  }

  get stepId(): string {
    return this.#parts.task.step.id
  }

  get attempt(): number {
    return this.#parts.attempt
  }

  get idempotencyKey(): string {
    return `${this.executionId}:${this.#parts.task.path}`
  }

  get signal(): AbortSignal {
    return this.#parts.signal()
  }

  get resumeData(): unknown {
    return this.#parts.resumeData
  }

  get logger(): Logger {
    const { logger, logBindings } = this.#run
    const { spanId } = this.#parts.trace.spanIds ?? {}
    return logger.child({ ...logBindings, stepId: this.stepId, ...(spanId !== undefined && { spanId }) })
  }

  get suspend(): (reason?: string, data?: unknown) => never {
    return (reason = 'Suspended by the step', data) => {
      const json = data === undefined ? null : this.#json(data, 'suspend data')
      this.suspended = { reason, data: json }
      throw new SuspendSignal(this.#parts.task, this.suspended)
    }
  }

  get getStepResult(): GetStepResult {
    return <Result>(step: string | { readonly id: string }) => {
      const place = this.#run.workflow.placeById.get(typeof step === 'string' ? step : step.id)
      const output = place && this.#parts.io.recordedOutput(place.path)
      return output === undefined ? undefined : (JSON.parse(output) as Result)
    }
  }

  get emit(): (type: string, payload?: unknown) => void {
    return (type, payload = null) => {
      this.#parts.io.emit({
        stepId: this.stepId,
        name: String(type),
        data: this.#json(payload, 'event payload'),
      })
    }
  }

  #json(value: unknown, name: string): string {
    return encodeJson(value, { name, limit: this.#run.resultBytes })
  }
}
