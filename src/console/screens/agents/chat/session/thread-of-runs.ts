import { textOf } from './chat-message.ts'
import type { AnswerDetails, ChatMessage, ChatPart, Run } from './chat-message.ts'
import { pendingCalls } from '../../../../../contract/pending-call.ts'
import { fromInput } from './ui-messages.ts'

/**
 * The messages of a conversation, from its runs, oldest first. A run with several messages, or with a known one,
 * replaces what follows: a message was edited or an answer regenerated.
 */
export function threadOfRuns(runs: readonly Run[]): ChatMessage[] {
  let thread: ChatMessage[] = []
  for (const run of runs) {
    const messages = fromInput(run.input)
    const known = thread.findIndex(({ id }) => id === messages[0]?.id)
    const kept = messages.length > 1 ? [] : known === -1 ? thread : thread.slice(0, known)
    const answered = new Map(thread.map((message) => [message.id, message]))
    // known answers keep their details
    thread = [...kept, ...messages.map((message) => withDetails(message, answered)), answerOf(run)]
  }
  return thread
}

function withDetails(message: ChatMessage, answered: ReadonlyMap<string, ChatMessage>): ChatMessage {
  return message.role === 'assistant' ? (answered.get(message.id) ?? message) : message
}

const STATUSES: Readonly<Record<Run['status'], AnswerDetails['status']>> = {
  completed: 'completed',
  error: 'error',
  aborted: 'stopped',
  running: 'streaming',
  suspended: 'completed',
}

function answerOf(run: Run): ChatMessage {
  const { id, status, error, model, usage, traceId, startTime, endTime, steps, reason } = run
  const approvals = pendingCalls(run)
  const finishReason = run.finishReason ?? steps.at(-1)?.finishReason
  return {
    id,
    role: 'assistant',
    parts: partsOf(run),
    ...(approvals && { approvals }),
    details: {
      status: STATUSES[status],
      runId: id,
      model,
      traceId,
      ...(usage && { usage }),
      ...(error !== undefined && { error: new Error(error) }),
      ...(finishReason !== undefined && { finishReason }),
      ...(reason !== undefined && { reason }),
      ...(endTime !== null && { tookMs: Date.parse(endTime) - Date.parse(startTime) }),
    },
  }
}

function partsOf({ steps, output }: Run): ChatPart[] {
  const parts = steps.flatMap(({ reasoning, text, toolCalls, toolResults }): ChatPart[] => [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...toolCalls.map(({ toolCallId, toolName, input }): ChatPart => {
      const result = toolResults.find((one) => one.toolCallId === toolCallId)
      const call = { type: 'tool', toolCallId, toolName, input } as const
      if (!result) return { ...call, state: 'input-available' }
      return result.error === undefined
        ? { ...call, state: 'output-available', output: result.output }
        : { ...call, state: 'output-error', errorText: result.error }
    }),
  ])
  const isIncluded = parts.some((part) => part.type === 'text' && part.text === output)
  if (output === null || output === undefined || isIncluded) return parts
  return [...parts, { type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }]
}

/**
 * The stored messages of a conversation, each with the status, usage and trace of its run where the history has one.
 * Stored messages may outlive their runs, and may be of another agent. Messages of runs without a stored response
 * keep their place.
 */
export function withStored(
  stored: readonly ChatMessage[],
  thread: readonly ChatMessage[],
): readonly ChatMessage[] {
  if (stored.length === 0) return thread
  const merged: ChatMessage[] = []
  let left = stored.length - 1
  for (let at = thread.length - 1; at >= 0; at--) {
    const message = thread[at]
    if (!message) continue
    const match = stored.findLastIndex((one, index) => index <= left && isSame(one, message))
    if (match === -1) {
      merged.push(message)
      continue
    }
    merged.push(...stored.slice(match + 1, left + 1).toReversed(), message)
    left = match - 1
  }
  merged.push(...stored.slice(0, left + 1).toReversed())
  return merged.toReversed()
}

function isSame(one: ChatMessage, other: ChatMessage): boolean {
  return one.role === other.role && textOf(one) === textOf(other)
}
