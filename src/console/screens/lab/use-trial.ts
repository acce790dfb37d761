import type { TrialBody } from '../../../contract/endpoints/agents/lab.ts'
import type { EventOf } from '../../api/call.ts'
import { useServices } from '../../services/services-context.tsx'
import type { ToolPart } from '../agents/chat/session/chat-message.ts'
import { useAnswerStream } from '../agents/chat/session/use-answer-stream.ts'
import type { AnswerStream, Streamed } from '../agents/chat/session/use-answer-stream.ts'

interface TrialParts {
  readonly text: string
  readonly calls: readonly ToolPart[]
}

export type Trial = Streamed<TrialParts>

const NOTHING: TrialParts = { text: '', calls: [] }

/** Streams the answer of one column. */
export function useTrial(agentId: string): AnswerStream<TrialParts, TrialBody> {
  const { api } = useServices()
  return useAnswerStream({
    empty: NOTHING,
    open: (body: TrialBody, signal) => api.events('tryAgent', { params: { id: agentId }, body, signal }),
    read,
  })
}

function read(part: EventOf<'tryAgent'>, { text, calls }: TrialParts): Partial<TrialParts> {
  const settle = (id: string, result: Partial<ToolPart>) => ({
    calls: calls.map((call) => (call.toolCallId === id ? { ...call, ...result } : call)),
  })
  if (part.type === 'text-delta') return { text: text + part.text }
  if (part.type === 'tool-call') {
    const { toolCallId, toolName, input } = part
    return { calls: [...calls, { type: 'tool', toolCallId, toolName, state: 'input-available', input }] }
  }
  if (part.type === 'tool-result')
    return settle(part.toolCallId, { state: 'output-available', output: part.output })
  if (part.type === 'tool-error')
    return settle(part.toolCallId, { state: 'output-error', errorText: part.error })
  return {}
}
