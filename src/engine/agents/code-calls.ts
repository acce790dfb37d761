import { z } from 'zod'
import type { AnswerFormat, AnswerIds } from '../../agent/answer/formats/answer-format.ts'
import { objectFormat } from '../../agent/answer/formats/object-format.ts'
import { textFormat } from '../../agent/answer/formats/text-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { AnyAnswer } from '../../calls/answer.ts'
import { AnswerBlockedError, ApprovalRequiredError } from '../../calls/answer-errors.ts'
import { callingPart } from '../../calls/current-server.ts'
import type { CallingPart, ServerCalls } from '../../calls/current-server.ts'
import { AgentRequestInput, AgentOptions } from '../../contract/endpoints/agent.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues, isSchema } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { validArgument } from '../valid-argument.ts'
import { checkSchema } from './agent-call.ts'
import type { CodeCall } from './agents.ts'
import { textAnswer } from './agent-records.ts'
import type { Agents } from './agents.ts'
import { FAILED_MESSAGE } from './send-answer.ts'

const SCHEMA_RULE = 'Must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object'

const Options = z.strictObject({
  ...AgentOptions.shape,
  schema: z.custom<Schema>((value) => isSchema(value), SCHEMA_RULE).optional(),
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'Must be an AbortSignal').optional(),
})

/** A call of code to an agent. */
interface AgentRequest {
  readonly agentId: string
  readonly call: CodeCall
  readonly schema: Schema | undefined
  /** Whether the caller accepts that the answer waits for approval. */
  readonly mayWait: boolean
  /** The step or tool that calls. */
  readonly part: CallingPart | undefined
}

/**
 * The calls of code to agents.
 *
 * @param agents throws AppError `unavailable` while the server can't start answers
 * @param trace the scope for the span of an answer that is requested now
 */
export function agentCalls(
  agents: () => Agents,
  trace: () => TraceScope,
): Pick<ServerCalls, 'generate' | 'stream'> {
  return {
    generate: async (agentId, input, options) => {
      const request = agentRequest(agentId, { input, options, trace })
      return orReason(request, async () => {
        const { generated, run } = await agents().generate(agentId, request.call)
        return answerOf(request, { generated, run, agents: agents() })
      })
    },
    stream: async (agentId, input, options, left) => {
      const request = agentRequest(agentId, { input, options, trace, left, isStreamed: true })
      const end = new StreamEnd()
      const format: AnswerFormat<unknown> =
        request.schema === undefined ? end.noted(textFormat) : end.noted(objectFormat)
      const parts = await orReason(request, () => agents().streamForCode(agentId, request.call, format))
      return {
        parts,
        answer: () => orReason(request, async () => answerOf(request, { ...end.value(), agents: agents() })),
      }
    },
  }
}

interface GivenRequest {
  readonly input: unknown
  readonly options: unknown
  readonly trace: () => TraceScope
  /** Aborts when nobody reads the stream any more. */
  readonly left?: AbortSignal
  readonly isStreamed?: boolean
}

/** @throws AppError `invalid_input` naming the field; the reason of a signal that is aborted. */
function agentRequest(agentId: string, given: GivenRequest): AgentRequest {
  const { schema, signal: aborted, ...options } = validArgument(Options, given.options, 'options')
  const input = validArgument(AgentRequestInput, given.input, 'input')
  if (schema !== undefined) checkSchema(schema)
  const part = callingPart()
  const mayWait = options.resumable === true
  // a step that runs again asks again, unless it asks for a run of its own
  const place = mayWait ? undefined : part?.place
  const signals = [aborted, given.left, part?.signal].filter((each) => each !== undefined)
  const signal = AbortSignal.any(signals)
  signal.throwIfAborted()
  const isObject = schema !== undefined
  const call: CodeCall = {
    input,
    schema,
    options: place ? { ...options, resumable: false } : options,
    signal,
    mayRepeat: true,
    trace: given.trace(),
    delivery:
      given.isStreamed === true ? (isObject ? 'stream-object' : 'stream') : isObject ? 'object' : 'text',
    origin: {
      ...(part?.traceId !== undefined && { traceId: part.traceId }),
      ...(place && { requester: 'step', parentId: place.executionId, place }),
    },
  }
  return { agentId, call, schema, mayWait, part }
}

/** Rejects with the reason of the signal when the call was aborted. */
async function orReason<T>({ call: { signal } }: AgentRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

interface EndedAnswer {
  readonly generated: Generated
  readonly run: AnswerIds
  readonly agents: Agents
}

/** @throws ApprovalRequiredError; AnswerBlockedError; AppError `execution_failed` when the object does not fit the schema. */
async function answerOf(request: AgentRequest, { generated, run, agents }: EndedAnswer): Promise<AnyAnswer> {
  const { agentId, mayWait, part, schema } = request
  const { id: runId, approvals = [], waits = [], output: _, ...answer } = textAnswer(generated, run)
  if (generated.pending) {
    if (mayWait) return { status: 'suspended', runId, approvals, waits }
    // nobody could continue with what a step or tool has asked for
    if (part) await (part.place ? agents.endPart(runId) : agents.cancel(runId))
    throw approvalRequired(agentId, approvals, { runId, isPart: part !== undefined })
  }
  if (generated.reason !== undefined && schema !== undefined)
    throw new AnswerBlockedError({ agentId, reason: generated.reason, runId })
  return { status: 'completed', runId, ...answer, object: await objectOf(generated, request) }
}

function approvalRequired(
  agentId: string,
  approvals: ConstructorParameters<typeof ApprovalRequiredError>[1],
  { runId, isPart }: { readonly runId: string; readonly isPart: boolean },
): ApprovalRequiredError {
  const names = [...new Set(approvals.map(({ toolName }) => `"${toolName}"`))].join(', ')
  const fix = isPart
    ? 'Use step.agent, which suspends the execution'
    : 'Respond to the run, whose id is runId, or pass resumable: true to get it as a result'
  return new ApprovalRequiredError(
    `Agent "${agentId}" needs approval to call ${names}. ${fix}`,
    approvals,
    runId,
  )
}

/** A run that can be resumed was answered by the JSON Schema of its schema. */
async function objectOf({ object }: Generated, { schema, mayWait }: AgentRequest): Promise<unknown> {
  if (schema === undefined || !mayWait) return object
  const validation = await compileSchema(schema).validate(object)
  if (validation.ok) return validation.value
  throw new AppError('execution_failed', `The answer ${formatIssues(validation.issues, 'object')}`)
}

/** How a streamed answer has ended, which its last part does not say in full. */
class StreamEnd {
  #ended: { readonly generated: Generated; readonly run: AnswerIds } | AppError | undefined

  /** The format, which notes the end. */
  noted<Part>(format: AnswerFormat<Part>): AnswerFormat<Part> {
    return {
      read: (stream, run) => format.read(stream, run),
      finished: (generated, run) => {
        this.#ended = { generated, run: { id: run.id, traceId: run.traceId } }
        return format.finished(generated, run)
      },
      failed: (message) => {
        this.#ended = new AppError('execution_failed', message)
        return format.failed(message)
      },
      aborted: () => {
        this.#ended = new AppError('unavailable', 'The answer was aborted')
        return format.aborted()
      },
    }
  }

  /** @throws AppError when the answer has failed. */
  value(): { readonly generated: Generated; readonly run: AnswerIds } {
    if (this.#ended instanceof Error) throw this.#ended
    if (!this.#ended) throw new AppError('execution_failed', FAILED_MESSAGE)
    return this.#ended
  }
}
