import type { Stored } from '../lib/json/json-result.ts'
import type { InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'

/** The result of a step with the output schema `Output` whose function returns `Result`. */
export type StepResult<Output extends Schema, Result> = [Output] extends [StandardSchema]
  ? InferOutput<Output>
  : Stored<Result>

/** Data of a resume that no `resumeSchema` describes: the compiler shows this name where a member of it is read. */
export interface ResumeDataWithoutResumeSchema {}

/** The data of a resume with the schema `Resume`. */
export type ResumeData<Resume extends Schema> = Schema extends Resume
  ? ResumeDataWithoutResumeSchema
  : InferOutput<Resume>

/** What a step adds to the results of its workflow: its own by its id. An id that the compiler does not know adds none. */
export type Own<Id extends string, Result> = string extends Id ? object : { readonly [K in Id]: Result }

/** What a group adds: of the results that its last step has, those of its own steps. */
export type Later<Added, Before> = {
  readonly [K in keyof Added as K extends keyof Before ? never : K]: Added[K]
}

/** What nested steps add that may not have run. */
export type Optional<Added, Before> = Partial<Later<Added, Before>>

/** What a step does when its event does not come in time. */
export type OnEventTimeout = 'continue' | 'fail'

/** The result of a step whose event did not come in time. */
export interface TimedOut {
  /** Set when nothing has arrived before the timeout. */
  readonly timedOut: true
}

/** The data of the event, or of a time-out. */
export type EventData<S extends Schema, OnTimeout extends OnEventTimeout> =
  | ([S] extends [StandardSchema] ? InferOutput<S> : unknown)
  | ('continue' extends OnTimeout ? TimedOut : never)
