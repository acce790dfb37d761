import type { Logger } from 'pino'
import type { User } from '../contract/auth.ts'

/** What a step's function is called with. Every property may be destructured. */
export interface StepContext<Data = unknown, Input = unknown, Suspend = unknown, Resume = unknown> {
  /** The step's input: the previous step's result. A copy of its own for each attempt. */
  readonly data: Data
  /** The workflow's input. */
  readonly input: Input
  /** `options.context` of the call that started the execution. */
  readonly context: Readonly<Record<string, unknown>>
  readonly userId: string | undefined
  /** Who started the execution, as the auth provider told it. */
  readonly user: User | undefined
  readonly conversationId: string | undefined
  readonly executionId: string
  readonly stepId: string
  /** 1 for the first try; counts failed tries and tries cut short by a crash. Starts again on resume. */
  readonly attempt: number
  /** The same for every attempt of this step in this execution: hand it to services that take one. */
  readonly idempotencyKey: string
  /** Aborts on cancel, on timeout, and when another branch of a race has won. */
  readonly signal: AbortSignal
  /** What the caller of resume sent; `undefined` until then. */
  readonly resumeData: Resume | undefined
  /** Parks the execution here until it is resumed; the step then runs again with `resumeData`. */
  readonly suspend: (reason?: string, data?: Suspend) => never
  /** The recorded result of an earlier step of this execution, or `undefined`. */
  readonly getStepResult: <T = unknown>(stepId: string) => T | undefined
  readonly logger: Logger
  /** Adds an event of type `custom` to the execution's stream; `payload` must be JSON. */
  readonly emit: (type: string, payload?: unknown) => void
}
