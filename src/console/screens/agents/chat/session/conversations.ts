import type { Run } from './chat-message.ts'
import { textOf } from './chat-message.ts'
import { fromInput } from './ui-messages.ts'

/** A conversation in the list. */
export interface Conversation {
  readonly id: string
  /** The first known user message. */
  readonly title: string
  readonly runs: number
  readonly lastAt: string
  readonly status: Run['status']
  readonly userId: string | null
}

const MAX_TITLE_LENGTH = 120

/** The conversations of runs. Both are sorted newest first. */
export function conversationsIn(runs: readonly Run[]): Conversation[] {
  const byId = new Map<string, Conversation>()
  for (const run of runs) {
    const { conversationId: id } = run
    if (id === null) continue
    const known = byId.get(id)
    byId.set(id, {
      id,
      runs: (known?.runs ?? 0) + 1,
      title: titleOf(run) || (known?.title ?? id),
      lastAt: known?.lastAt ?? run.startTime,
      status: known?.status ?? run.status,
      userId: run.userId,
    })
  }
  return [...byId.values()]
}

function titleOf({ input }: Run): string {
  const first = fromInput(input).find(({ role }) => role === 'user')
  return first ? textOf(first).trim().slice(0, MAX_TITLE_LENGTH) : ''
}
