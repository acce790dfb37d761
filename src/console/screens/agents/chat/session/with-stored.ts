import type { ChatMessage } from './chat-message.ts'
import { textOf } from './chat-message.ts'

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
