import type { MessagePage, MessageRow } from '../agents/conversation-store.ts'

/** Maximum number of characters of a page, so that a response with files stays small. A page has one message at least. */
export const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024

/** A message without its text. */
export interface MessageSize extends Pick<MessageRow, 'seq' | 'starts'> {
  readonly characters: number
}

/**
 * The number of the first row of a page. `rows` are those before its end, newest first. `undefined` without rows.
 */
export function pageStart(rows: readonly MessageSize[], { limit }: MessagePage): number | undefined {
  let start: number | undefined
  let characters = 0
  let messages = 0
  for (const row of rows) {
    characters += row.characters
    if (start !== undefined && characters > MAX_PAGE_CHARACTERS) return start
    if (!row.starts) continue
    start = row.seq
    messages += 1
    if (messages === limit) return start
  }
  // rows without a start: the beginning of their message was deleted as one of the oldest
  return rows.at(-1)?.seq
}
