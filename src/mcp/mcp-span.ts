import { ATTRIBUTE } from '../lib/semantic-attributes.ts'
import type { TraceScope } from '../lib/trace-scope.ts'

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
  run: (trace: TraceScope) => Promise<T>,
): Promise<T> {
  if (!trace.records) return run(trace)
  const subject = SUBJECTS[method]
  const span = trace.start(`${method} ${target}`, {
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
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

const SUBJECTS: Readonly<Record<string, string>> = {
  'tools/call': ATTRIBUTE.toolName,
  'prompts/get': ATTRIBUTE.promptName,
  'resources/read': ATTRIBUTE.resourceUri,
}
