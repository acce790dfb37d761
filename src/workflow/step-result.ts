import type { Stored } from '../lib/json/json-result.ts'
import type { InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'

/** The result of a step with the output schema `Output` whose function returns `Result`. */
export type StepResult<Output extends Schema, Result> = [Output] extends [StandardSchema]
  ? InferOutput<Output>
  : Stored<Result>

/** What a step adds to the results of its workflow: its own by its id. An id that the compiler does not know adds none. */
export type Own<Id extends string, Result> = string extends Id ? object : { readonly [K in Id]: Result }

/** The results of nested steps that may not have run. */
export type Optional<Added> = { readonly [K in keyof Added]?: Added[K] }

/** What a step does when its event does not come in time. */
export type OnEventTimeout = 'continue' | 'fail'

/** The result of a step whose event did not come in time. */
export interface TimedOut {
  readonly timedOut: true
}

/** The data of the event, or of a time-out. */
export type EventData<S extends Schema, OnTimeout extends OnEventTimeout> =
  | ([S] extends [StandardSchema] ? InferOutput<S> : unknown)
  | ('continue' extends OnTimeout ? TimedOut : never)
