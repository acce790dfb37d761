import { ATTRIBUTE } from '../contract/attributes.ts'
import { messageOf } from '../lib/errors.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import type { OpenSpan, TraceScope } from '../lib/telemetry/trace-scope.ts'

export interface TracedCall {
  readonly serverId: string
  /** As `tools/call`. */
  readonly method: string
  /** The tool, prompt or resource. */
  readonly target: string
  readonly kind: 'client' | 'server'
}

/** Makes or answers an MCP call within a span, by the conventions for MCP. */
export async function withMcpSpan<T>(
  trace: TraceScope,
  { serverId, method, target, kind }: TracedCall,
  run: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  if (!trace.records) return run(NO_TRACE)
  const subject = SUBJECTS[method]
  // a URI is one of very many: by the conventions no part of the name
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

/** Marks a call whose answer is that the tool failed. */
export function failTool(span: OpenSpan, message: string): void {
  span.fail({ name: 'tool_error', message })
}

const SUBJECTS: Readonly<Record<string, string>> = {
  'tools/call': ATTRIBUTE.toolName,
  'prompts/get': ATTRIBUTE.promptName,
  'resources/read': ATTRIBUTE.resourceUri,
}
