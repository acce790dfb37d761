import type { AgentStreamPart } from '../../../contract/agent-event.ts'
import type { LivePart } from './part-listener.ts'

/** A live part in the stream of the run `runId`: parts of its sub-agents have types of their own. */
export function liveStreamPart(part: LivePart, runId: string): AgentStreamPart {
  const { agentId, runId: ofRun } = part
  const of = { agentId, runId: ofRun }
  const isOwn = ofRun === runId
  switch (part.kind) {
    case 'text':
      return { type: 'agent-delta', ...of, id: part.id, text: part.text }
    case 'call': {
      const { toolCallId, toolName, input } = part
      return { type: 'agent-tool-call', ...of, toolCallId, toolName, input: JSON.parse(input) as unknown }
    }
    case 'result': {
      const { toolCallId, toolName } = part
      const outcome = { toolCallId, toolName, ...outcomeOf(part) }
      return isOwn
        ? { type: 'tool-result', output: null, ...outcome }
        : { type: 'agent-tool-result', ...of, ...outcome }
    }
    case 'report': {
      const { type, toolCallId, toolName, data, id, transient } = part
      return {
        type,
        data: JSON.parse(data) as unknown,
        ...(id !== undefined && { id }),
        ...(transient !== undefined && { transient }),
        ...of,
        toolCallId,
        toolName,
      }
    }
  }
}

/** The outcome of a call as members of its part. */
export function outcomeOf({ output, error, isPreliminary }: Extract<LivePart, { kind: 'result' }>): {
  readonly output?: unknown
  readonly error?: string
  readonly preliminary?: true
} {
  return {
    ...(error !== undefined && { error }),
    ...(output !== undefined && { output: JSON.parse(output) as unknown }),
    ...(isPreliminary && { preliminary: true as const }),
  }
}
