import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { Agent } from '../../agent/agent.ts'
import { isAgent, makesCalls } from '../../agent/agent.ts'
import type { CallAgent } from '../../agent/agent-request.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { problemsOf } from '../../lib/found-problem.ts'
import type { JsonResult, Stored } from '../../lib/json/json-result.ts'
import type { JsonOutput } from '../../lib/schema/json-output.ts'
import { isSchema } from '../../lib/schema/schema.ts'
import type { InferOutput, Schema, StandardSchema } from '../../lib/schema/schema.ts'
import type { ContextOf } from '../step-context.ts'
import type { Compensate } from '../../step/compensation.ts'
import { NonRetryableError } from '../../step/retry.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions, TaskOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'

const SCHEMA_RULE = 'a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object'

/** The agent's answer as the argument of `map`. `object` is defined when the step has a schema. */
export interface AgentResult<Value> extends Pick<Generated, 'text' | 'usage' | 'finishReason' | 'reason'> {
  /** Object that fits the schema of the step. */
  readonly object: Value
}

/** The schema of an answer, or a function that chooses it. */
export type AnswerSchema<Input, Data, Results> =
  | Schema
  | ((context: ContextOf<Input, Data, Results>) => Awaitable<Schema>)

/** The schema that is given or chosen. Schemas of some libraries are functions, too. */
export type SchemaIn<Given> = Given extends StandardSchema
  ? Given
  : Given extends (...parameters: never) => infer Chosen
    ? Extract<Awaited<Chosen>, Schema>
    : Extract<Given, Schema>

type Answer<S extends Schema> = Schema extends S ? undefined : InferOutput<S>

/** The result type of a `map` that was omitted. */
declare const noMap: unique symbol
export type NoMap = typeof noMap

/** The result of the step: that of `map`, otherwise the agent's object or `{ text }`. */
export type AgentStepResult<S extends Schema, Mapped> = [Mapped] extends [NoMap]
  ? Schema extends S
    ? {
        /** Text of the answer. */
        text: string
      }
    : InferOutput<S>
  : Stored<Mapped>

/** Shown by the compiler when the agent's object is not JSON and `map` is missing. */
interface NeedsMap {
  /** Makes the result of the step from the answer. */
  readonly map: unknown
}

/** Requires the option `map` when the output of the schema, the step's result without it, is not JSON. */
export type JsonAnswer<S extends Schema> = unknown extends JsonOutput<S> ? unknown : NeedsMap

export interface AndAgentConfig<
  Input,
  Data,
  Mapped,
  S extends AnswerSchema<Input, Data, Results>,
  Results = unknown,
  Id extends string = string,
>
  extends StepOptions<Id>, Pick<TaskOptions, 'retries' | 'timeoutMs' | 'suspendTimeout'> {
  /** The agent that is called. */
  readonly agent: Agent
  /** The prompt, or a function that returns it. */
  readonly prompt: string | ((context: ContextOf<Input, Data, Results>) => Awaitable<string>)
  /** The schema of the answer, or a function that returns it. Without it the answer is text. */
  readonly schema?: S
  /**
   * Creates the step's result from its data and the agent's answer. `timedOut`: nobody responded to tool calls within
   * `suspendTimeout`, and the agent answered without them.
   */
  readonly map?: (context: {
    /** Output of the step before, or the input of the workflow. */
    data: Data
    /** Answer of the agent. */
    result: AgentResult<Answer<SchemaIn<S>>>
    /** Whether a wait has timed out. */
    timedOut: boolean
  }) => Awaitable<Mapped>
  /** Undoes the step when the execution fails, exceeds its time or is cancelled after it has completed. */
  readonly compensate?: Compensate<AgentStepResult<SchemaIn<S>, NoInfer<Mapped>>>
}

const OPTIONS = {
  ...STEP_OPTIONS,
  retries: true,
  timeoutMs: true,
  suspendTimeout: true,
  agent: true,
  prompt: true,
  schema: true,
  map: true,
  compensate: true,
} satisfies Record<keyof AndAgentConfig<unknown, unknown, unknown, Schema>, true>

/**
 * Declares a step that calls an agent. The result is the object when there is a schema, otherwise `{ text }`, or the
 * value returned by `map`. While tool calls of the agent wait for approval or for the client, the execution is
 * suspended with `{ approvals }` or `{ toolCalls }`, and resumes with `{ approvals }` or `{ toolOutputs }`.
 *
 * @example
 * andAgent({ id: 'classify', agent: clerk, prompt: ({ data }) => data.text, schema: z.enum(['refund', 'other']) })
 */
export function andAgent<
  Input,
  Data,
  S extends AnswerSchema<Input, Data, Results>,
  Mapped extends JsonResult<Mapped> | NoMap = NoMap,
  Results = unknown,
  Id extends string = string,
>(
  config: AndAgentConfig<Input, Data, Mapped, S, Results, Id> & JsonAnswer<SchemaIn<S>>,
): Step<
  Input,
  Data,
  AgentStepResult<SchemaIn<S>, Mapped>,
  Results,
  Own<Id, AgentStepResult<SchemaIn<S>, Mapped>>
> {
  requireObject('andAgent', 'config', config)
  const { agent, prompt, map } = config
  type Context = ContextOf<Input, Data, Results>
  const answer = async (context: Context, callAgent: CallAgent) => {
    const { signal, userId, user, conversationId, logger } = context
    const text = typeof prompt === 'function' ? await prompt(context) : prompt
    const schema = await schemaFor(context)
    const caller = { userId, user, conversationId, context: context.context }
    let value: unknown
    const read = async (result: Generated) => {
      value = await valueOf(context, result, schema)
    }
    await callAgent(agent, { prompt: text, schema, signal, logger, ...caller, read })
    return value
  }
  const schemaFor = async (context: Context): Promise<Schema | undefined> => {
    const { schema } = config
    if (typeof schema !== 'function' || isSchema(schema)) return schema
    const chosen: unknown = await schema(context)
    if (!isSchema(chosen)) throw new TypeError(`the result of schema must be ${SCHEMA_RULE}`)
    return chosen
  }
  const valueOf = ({ data, timedOut }: Context, result: Generated, schema: Schema | undefined) => {
    const { reason } = result
    // only a text may be missing: an object of the schema's type would not be one
    if (reason !== undefined && (map === undefined || schema !== undefined))
      throw new NonRetryableError(`A guardrail of agent "${agent.id}" blocked the request: ${reason}`)
    if (map !== undefined) return map({ data, result: result as AgentResult<Answer<SchemaIn<S>>>, timedOut })
    return schema === undefined ? { text: result.text } : result.object
  }
  return defineStep('andAgent', config, {
    agent: isAgent(agent) ? agent : undefined,
    compensate: config.compensate,
    makesCalls: isAgent(agent) && makesCalls(agent),
    problems: [
      ...misspelledOptions(config, OPTIONS),
      ...(isAgent(agent)
        ? problemsOf(agent, `agent ${agent.id}: `)
        : ['agent must be made by createAgent()']),
      typeof prompt === 'string' ? undefined : functionProblem('prompt', prompt),
      map === undefined ? undefined : functionProblem('map', map),
    ],
    run: (runtime) => runtime.invoke((context) => answer(context as Context, runtime.callAgent)),
  })
}
