import { ATTRIBUTE } from '../contract/attributes.ts'
import { messageOf } from '../lib/errors.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import type { OpenSpan, TraceScope } from '../lib/telemetry/trace-scope.ts'

export interface TracedMcpCall {
  readonly serverId: string
  /** The protocol method, such as `tools/call`. */
  readonly method: string
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string
  readonly kind: 'client' | 'server'
}

/** Runs an outgoing or incoming MCP call within a span (OpenTelemetry conventions for MCP). */
export async function withMcpSpan<T>(
  trace: TraceScope,
  { serverId, method, target, kind }: TracedMcpCall,
  run: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  if (!trace.isRecording) return run(NO_TRACE)
  const subject = SUBJECTS[method]
  // URIs have a high cardinality, so the conventions keep them out of span names
  const span = trace.start(method === 'resources/read' ? method : `${method} ${target}`, {
    kind,
    attributes: {
      [ATTRIBUTE.mcpMethod]: method,
      [ATTRIBUTE.mcpServerId]: serverId,
      ...(subject && { [subject]: target }),
    },
  })
  try {
    return await run(span)
  } catch (error) {
    if (method === 'tools/call' && kind === 'server') failTool(span, messageOf(error))
    else span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/** Marks the span of a tool call whose result is an error. */
export function failTool(span: OpenSpan, message: string): void {
  span.fail({ name: 'tool_error', message })
}

const SUBJECTS: Readonly<Record<string, string>> = {
  'tools/call': ATTRIBUTE.toolName,
  'prompts/get': ATTRIBUTE.promptName,
  'resources/read': ATTRIBUTE.resourceUri,
}
