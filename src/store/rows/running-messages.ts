import type { RunningMessages, OpenMessages } from '../agents/conversation-store.ts'

/** A run in progress with its messages. */
export interface OpenMessagesRow extends Pick<OpenMessages, 'runId' | 'continuation'> {
  readonly runningMessages: string
}

type Stored = Pick<RunningMessages, 'messages' | 'starts' | 'replace'> & {
  /** The number of messages of the API by which the conversation will be longer, without the answer. */
  readonly count: number
}

/** The messages of a run that has not ended, as JSON text. */
export function runningMessagesText({ messages, starts, replace }: RunningMessages): string {
  // messages that replace others are a conversation and one more
  const count = replace ? 1 : starts.filter(Boolean).length
  const stored: Stored = { messages, starts, replace, count }
  return JSON.stringify(stored)
}

export function openMessages({ runningMessages, ...run }: OpenMessagesRow): OpenMessages {
  const { messages, starts, replace } = JSON.parse(runningMessages) as Stored
  return { ...run, messages, starts, replace }
}
