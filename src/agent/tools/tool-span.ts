import { AppError } from '../../lib/errors.ts'
import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'

export interface TracedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly input: unknown
  /** The id that the model gave to its call. */
  readonly callId?: string | undefined
  readonly agentId?: string | undefined
  /** Whoever calls it outside of an agent's answer, whose span tells this. */
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
}

/** Runs a tool within a span, below which the tool's own come. */
export async function withToolSpan<T>(
  trace: TraceScope,
  { name, description, input, callId, agentId, userId, conversationId }: TracedTool,
  run: (trace: TraceScope) => Promise<T>,
): Promise<T> {
  if (!trace.records) return run(trace)
  const span = trace.start(`${OPERATION.tool} ${name}`, {
    attributes: {
      [ATTRIBUTE.operation]: OPERATION.tool,
      [ATTRIBUTE.toolName]: name,
      [ATTRIBUTE.toolType]: 'function',
      [ATTRIBUTE.toolDescription]: description,
      [ATTRIBUTE.toolCallId]: callId,
      [ATTRIBUTE.agentId]: agentId,
      [ATTRIBUTE.userId]: userId,
      [ATTRIBUTE.conversationId]: conversationId,
    },
  })
  span.content(ATTRIBUTE.toolArguments, () => input)
  try {
    const result = await span.run(() => run(span))
    span.content(ATTRIBUTE.toolResult, () => result)
    return result
  } catch (error) {
    span.fail(error instanceof AppError ? (error.cause ?? error) : error)
    throw error
  } finally {
    span.end()
  }
}
