import { ATTRIBUTE, OPERATION } from '../contract/attributes.ts'
import { messageOf } from '../lib/errors.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import type { Attributes, OpenSpan, TraceScope } from '../lib/telemetry/trace-scope.ts'

export interface TracedMcpCall {
  readonly serverId: string
  /** The protocol method, such as `tools/call`. */
  readonly method: string
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string
  readonly kind: 'client' | 'server'
  /** Attributes of the connection: protocol version, session and transport. */
  readonly connection: Attributes
}

/** Runs an outgoing or incoming MCP call within a span (OpenTelemetry conventions for MCP). */
export async function withMcpSpan<T>(
  trace: TraceScope,
  { serverId, method, target, kind, connection }: TracedMcpCall,
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
      ...(method === 'tools/call' && { [ATTRIBUTE.operation]: OPERATION.tool }),
      ...connection,
    },
  })
  try {
    return await run(span)
  } catch (error) {
    const code = rpcCodeOf(error)
    if (code !== undefined) {
      span.setAttributes({ [ATTRIBUTE.rpcStatus]: code })
      span.fail({ name: code, message: messageOf(error) })
    } else if (method === 'tools/call' && kind === 'server') failTool(span, messageOf(error))
    else span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/** The code of a JSON-RPC error of the other side. */
function rpcCodeOf(error: unknown): string | undefined {
  const isResponse = error instanceof Error && error.name === 'ProtocolError' && 'code' in error
  return isResponse ? String(error.code) : undefined
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
