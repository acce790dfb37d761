import type { StepWait } from '../contract/step-wait.ts'
import type { AgentStreamPart, ObjectStreamPart, ToolApproval } from '../contract/agent-event.ts'
import type { AgentAnswer, AgentOptions } from '../contract/endpoints/agent.ts'
import type { InferOutput, Schema } from '../lib/schema/schema.ts'

/** What an agent is asked: a text, or `UIMessage`s or `ModelMessage`s of the AI SDK. */
export type AnswerInput = string | readonly object[]

/**
 * Options of `agent.generate()` and `agent.stream()`: `schema`, `resumable`, `signal`, and those of `POST /agents/:id/text`,
 * which are `userId`, `conversationId`, `context`, `maxSteps`, `temperature`, `maxOutputTokens`, `topP`, `topK`,
 * `presencePenalty`, `frequencyPenalty`, `seed`, `stopSequences`, `providerOptions` and `contextLimit`.
 */
export interface AnswerOptions<
  S extends Schema = Schema,
  Resumable extends boolean = boolean,
> extends Readonly<Omit<AgentOptions, 'resumable'>> {
  /** The schema of the answer: a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object. Default: text. */
  readonly schema?: S | undefined
  /**
   * Whether the answer is a run of its own that survives the caller and the process. While tool calls wait for approval,
   * it resolves with `status: 'suspended'`. Default: as the agent declares it; `false` in a step.
   */
  readonly resumable?: Resumable | undefined
  /** Aborts the answer; one that is resumable continues, and is not waited for any more. */
  readonly signal?: AbortSignal | undefined
}

/** An answer that is complete. `object` is there if the call has a schema. */
export interface CompletedAnswer<Value = undefined> extends Omit<AgentAnswer, 'id' | 'approvals' | 'waits'> {
  readonly status: 'completed'
  /** The id of the run in the history of the agent. */
  readonly runId: string
  /** The value of the schema. */
  readonly object: Value
}

/**
 * An answer whose tool calls wait: `POST /agents/:id/runs/:runId/approvals` responds to approvals, and
 * `POST /agents/:id/runs/:runId/resume` to calls that wait in their middle.
 */
export interface PendingAnswer {
  readonly status: 'suspended'
  /** Id of the run, to resume it. */
  readonly runId: string
  /** The calls that wait for approval. */
  readonly approvals: readonly ToolApproval[]
  /** What tools wait for in their middle. */
  readonly waits: readonly StepWait[]
}

export type AnyAnswer = CompletedAnswer<unknown> | PendingAnswer

/** The answer to a call with these options. */
export type Answer<S extends Schema, Resumable extends boolean> =
  | CompletedAnswer<Schema extends S ? undefined : InferOutput<S>>
  | (true extends Resumable ? PendingAnswer : never)

/** The parts of an answer: those of `/stream`, with a schema those of `/stream-object`. */
export type AnswerPart<S extends Schema> = Schema extends S ? AgentStreamPart : ObjectStreamPart
