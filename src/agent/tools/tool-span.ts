import { AppError } from '../../lib/errors.ts'
import { ATTRIBUTE, OPERATION, callerAttributes } from '../../contract/attributes.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { abortableItems } from '../../lib/async/abortable.ts'

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

interface ReadOptions {
  readonly signal: AbortSignal
  /** Receives each value. */
  readonly preliminary?: ((output: unknown) => void) | undefined
}

/** Reads a generator of a tool, whose last value is the result. It is left when the call is aborted. */
export async function lastResult(
  results: AsyncIterable<unknown>,
  { signal, preliminary }: ReadOptions,
): Promise<unknown> {
  let last: unknown
  for await (const result of abortableItems(results, signal)) {
    last = result
    preliminary?.(result)
    // a generator that never waits would block the timers and sockets of the process
    await nextTurn()
  }
  return last
}

interface ToolCallInfo {
  readonly name: string
  readonly description?: string | undefined
  readonly input: unknown
  /** The id of the model's tool call. */
  readonly callId?: string | undefined
  readonly agentId?: string | undefined
  /** The caller. Only for calls outside of an agent's answer; there the agent's span has it. */
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  /** What is recorded of the result. Default: all. */
  readonly resultOf?: ((result: unknown) => unknown) | undefined
}

/** Runs a tool within a span, which is the parent of the tool's own spans. */
export async function withToolSpan<T>(
  trace: TraceScope,
  { name, description, input, callId, agentId, userId, conversationId, resultOf }: ToolCallInfo,
  run: (trace: TraceScope) => Promise<T>,
): Promise<T> {
  if (!trace.isRecording) return run(trace)
  const span = trace.start(`${OPERATION.tool} ${name}`, {
    attributes: {
      [ATTRIBUTE.operation]: OPERATION.tool,
      [ATTRIBUTE.toolName]: name,
      [ATTRIBUTE.toolType]: 'function',
      [ATTRIBUTE.toolDescription]: description,
      [ATTRIBUTE.toolCallId]: callId,
      [ATTRIBUTE.agentId]: agentId,
    },
    inherited: callerAttributes({ userId, conversationId }),
  })
  span.setContent(ATTRIBUTE.toolArguments, () => input)
  try {
    const result = await span.run(() => run(span))
    span.setContent(ATTRIBUTE.toolResult, () => (resultOf ? resultOf(result) : result))
    return result
  } catch (error) {
    span.fail(error instanceof AppError ? (error.cause ?? error) : error)
    throw error
  } finally {
    span.end()
  }
}
