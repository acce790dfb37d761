import { createHash } from 'node:crypto'
import { decodeStored } from '../record/values.ts'

/** A summary as it is stored, in JSON. */
export interface StoredSummary {
  readonly text: string
  /** The number of messages that it covers from the first one on, and their hash. */
  readonly count: number
  readonly hash: string
}

export function readSummary(json: string | null | undefined): StoredSummary | undefined {
  return json === null || json === undefined
    ? undefined
    : decodeStored<StoredSummary | undefined>(json, undefined)
}

/** The summary of further messages, which continues an earlier one. */
export function continuedSummary(
  earlier: StoredSummary | undefined,
  messages: readonly string[],
  text: string,
): StoredSummary {
  return { text, count: (earlier?.count ?? 0) + messages.length, hash: hashOf(messages, earlier?.hash) }
}

/** Whether the messages that a client sent begin with those of a summary. */
export function covers({ count, hash }: StoredSummary, messages: readonly string[]): boolean {
  return messages.length >= count && hashOf(messages.slice(0, count)) === hash
}

/** Continues with any number of messages. */
function hashOf(messages: readonly string[], before = ''): string {
  let hash = before
  for (const message of messages) hash = createHash('sha256').update(hash).update(message).digest('hex')
  return hash
}
