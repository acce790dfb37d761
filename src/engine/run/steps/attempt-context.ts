import type { Logger } from 'pino'
import { stepIdAt } from '../../../contract/step-path.ts'
import type { Scope } from '../../../lib/async/scope.ts'
import type { User } from '../../../contract/auth.ts'
import type { StepCalls } from '../../../step/step-calls.ts'
import type { GetStepResult, StepContext } from '../../../workflow/step-context.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import type { CustomEvent, Resumed, Round, SuspendRequest } from '../step-task.ts'
import type { Pass } from '../pass.ts'
import type { StepAttempt } from './attempt.ts'
import type { RunContext } from '../run-context.ts'
import { noSuchStep, stepIds } from '../../registry.ts'
import { resultIn } from '../../record/step-rows.ts'
import { encodeJson } from '../../record/values.ts'

/** The step whose functions are called. */
interface RunningStep {
  readonly path: string
  readonly facts: RunContext
  readonly record: Pick<DurableRecord, 'id' | 'steps'>
  readonly rounds: readonly Round[]
  emit(event: CustomEvent): void
  /** The error that leaves the function for a suspension. */
  suspension(request: SuspendRequest): Error
  pass(scope: Scope, leave: (error: unknown) => void): Pass
}

export interface AttemptParts {
  /** Its input, as its schema has parsed it. */
  readonly data: unknown
  readonly attempt: StepAttempt
  readonly resumed: Resumed
}

/** The context that a step's functions receive. Members that are costly to make are made on first use. */
export class AttemptContext implements StepContext {
  readonly #step: RunningStep
  readonly #parts: AttemptParts
  /** The argument of `suspend()`. It counts even if the function catches the signal and returns. */
  suspended: SuspendRequest | undefined
  /** Set when the function makes recorded calls. */
  pass: Pass | undefined
  /** Ends the wait for the function. */
  #leave: (error: unknown) => void = () => undefined

  constructor(step: RunningStep, parts: AttemptParts) {
    this.#step = step
    this.#parts = parts
  }

  get data(): unknown {
    return this.#parts.data
  }

  get input(): unknown {
    return JSON.parse(this.#step.facts.input)
  }

  get context(): Readonly<Record<string, unknown>> {
    return JSON.parse(this.#step.facts.context) as Record<string, unknown>
  }

  get userId(): string | undefined {
    return this.#step.facts.userId
  }

  get user(): User | undefined {
    return this.#step.facts.user === null ? undefined : (JSON.parse(this.#step.facts.user) as User)
  }

  get resumedBy(): User | undefined {
    return this.#step.facts.resumedUser === null
      ? undefined
      : (JSON.parse(this.#step.facts.resumedUser) as User)
  }

  get conversationId(): string | undefined {
    return this.#step.facts.conversationId
  }

  get executionId(): string {
    return this.#step.record.id
  }

  get stepId(): string {
    return stepIdAt(this.#step.path)
  }

  get index(): number {
    return this.#step.rounds.at(-1)?.index ?? 0
  }

  get attempt(): number {
    return this.#parts.attempt.number
  }

  get idempotencyKey(): string {
    return `${this.executionId}:${this.#step.path}`
  }

  get signal(): AbortSignal {
    return this.#parts.attempt.signal
  }

  get resumeData(): unknown {
    const { data } = this.#parts.resumed
    return data === null ? undefined : JSON.parse(data)
  }

  get timedOut(): boolean {
    return this.#parts.resumed.timedOut
  }

  get logger(): Logger {
    const { logger, logBindings } = this.#step.facts
    const { spanId } = this.#parts.attempt.trace.spanIds ?? {}
    return logger.child({ ...logBindings, stepId: this.stepId, ...(spanId !== undefined && { spanId }) })
  }

  get suspend(): (reason?: string, data?: unknown) => never {
    return (reason = 'Suspended by the step', data) => {
      const json = data === undefined ? null : this.#json(data, 'suspend data')
      this.suspended = { reason, data: json }
      throw this.#step.suspension(this.suspended)
    }
  }

  get step(): StepCalls {
    this.pass ??= this.#step.pass(this.#parts.attempt.scope, (error) => this.#leave(error))
    return this.pass.step
  }

  /** Waits for the result of the function, as long as its pass continues. */
  whileInPass(result: unknown): unknown {
    if (!(result instanceof Promise)) return result
    return new Promise((resolve, reject) => {
      this.#leave = reject
      result.then(resolve, reject)
    })
  }

  get results(): Readonly<Record<string, unknown>> {
    return resultsById(stepIds(this.#step.facts.workflow.placeById), (id) => this.#resultOf(id))
  }

  get getStepResult(): GetStepResult {
    return <Result>(step: string | { readonly id: string }) =>
      this.#resultOf(typeof step === 'string' ? step : step.id) as Result | undefined
  }

  #resultOf(id: string): unknown {
    const { facts, record, rounds } = this.#step
    const { workflow } = facts
    const place = workflow.placeOf(id)
    if (!place) throw new TypeError(noSuchStep(workflow, id))
    const row = [place.path, ...workflow.formerPathsOf(place.step)]
      .map((path) => record.steps.get(pathInRounds(path, rounds)))
      .find((recorded) => recorded !== undefined)
    const result = row && resultIn(row)
    return typeof result === 'string' ? JSON.parse(result) : undefined
  }

  get emit(): (type: string, payload?: unknown) => void {
    return (type, payload = null) => {
      this.#step.emit({
        stepId: this.stepId,
        name: String(type),
        data: this.#json(payload, 'event payload'),
      })
    }
  }

  #json(value: unknown, name: string): string {
    return encodeJson(value, { name, limit: this.#step.facts.resultBytes })
  }
}

/** The path of a step in the rounds that another one shares with it. */
function pathInRounds(declaredPath: string, rounds: readonly Round[]): string {
  const shared = rounds.findLast(
    (round) => declaredPath === round.declaredPath || declaredPath.startsWith(`${round.declaredPath}/`),
  )
  return shared ? shared.path + declaredPath.slice(shared.declaredPath.length) : declaredPath
}

/** Read by the language itself: of results that a function returns, awaits or prints. */
const NO_STEPS: ReadonlySet<string | symbol> = new Set(['then', 'toJSON'])

/**
 * The results of steps by their ids, each read when it is used.
 *
 * @param resultOf throws for an unknown id
 */
function resultsById(
  ids: Iterable<string>,
  resultOf: (id: string) => unknown,
): Readonly<Record<string, unknown>> {
  const known: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const id of ids) Object.defineProperty(known, id, { enumerable: true, get: () => resultOf(id) })
  return new Proxy(Object.freeze(known), {
    get: (results, id, receiver) =>
      typeof id === 'symbol' || id in results || NO_STEPS.has(id)
        ? Reflect.get(results, id, receiver)
        : resultOf(id),
  })
}
