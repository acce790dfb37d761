import type { Exchange, OpenExchange } from '../agents/conversation-store.ts'

/** A run in progress with its messages. */
export interface OpenExchangeRow extends Pick<OpenExchange, 'runId' | 'continuation'> {
  readonly exchange: string
}

type Stored = Pick<Exchange, 'messages' | 'starts' | 'replace'> & {
  /** The number of messages of the API by which the conversation will be longer, without the answer. */
  readonly count: number
}

/** The messages of a run that has not ended, as JSON text. */
export function exchangeText({ messages, starts, replace }: Exchange): string {
  // messages that replace others are a conversation and one more
  const count = replace ? 1 : starts.filter(Boolean).length
  const stored: Stored = { messages, starts, replace, count }
  return JSON.stringify(stored)
}

export function openExchange({ exchange, ...run }: OpenExchangeRow): OpenExchange {
  const { messages, starts, replace } = JSON.parse(exchange) as Stored
  return { ...run, messages, starts, replace }
}
