import type { Logger } from 'pino'
import { stepIdAt } from '../../../contract/step-path.ts'
import type { User } from '../../../contract/auth.ts'
import type { GetStepResult, StepContext } from '../../../workflow/step-context.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import type { DurableIo, StepTask, SuspendRequest } from '../durable-io.ts'
import { SuspendSignal } from '../errors.ts'
import type { RunContext } from '../run-context.ts'
import { encodeJson } from '../../record/values.ts'

/** A round of a loop, or an item of an andForEach step, in which a step runs. */
export interface Round {
  readonly path: string
  /** The path of its step in the workflow's declaration, which has no rounds. */
  readonly declaredPath: string
  readonly index: number
}

export interface AttemptParts {
  readonly io: DurableIo
  readonly task: StepTask
  readonly rounds: readonly Round[]
  readonly data: unknown
  readonly attempt: number
  readonly signal: () => AbortSignal
  readonly resumeData: unknown
  readonly timedOut: boolean
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
    return stepIdAt(this.#parts.task.path)
  }

  get index(): number {
    return this.#parts.rounds.at(-1)?.index ?? 0
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

  get timedOut(): boolean {
    return this.#parts.timedOut
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
      const { io, rounds } = this.#parts
      const output = place && io.recordedOutput(pathInRounds(place.path, rounds))
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

/** The path of a step in the rounds that another one shares with it. */
function pathInRounds(declaredPath: string, rounds: readonly Round[]): string {
  const shared = rounds.findLast(
    (round) => declaredPath === round.declaredPath || declaredPath.startsWith(`${round.declaredPath}/`),
  )
  return shared ? shared.path + declaredPath.slice(shared.declaredPath.length) : declaredPath
}
