import type { ConversationKey } from '../../agents/conversation-store.ts'
import { withoutContent } from '../../rows/traces/erase-content.ts'
import type { PostgresDatabase } from '../connection/database.ts'

/** Chunks that are read at a time. */
const CHUNK_PAGE = 32

interface Chunk {
  readonly trace: number
  readonly day: number
  readonly number: number
  readonly firstAt: number
  readonly spans: string
}

/** Removes the content of a conversation from the stored spans of a trace. */
export async function eraseContent(
  database: PostgresDatabase,
  traceId: string,
  conversation: ConversationKey,
): Promise<void> {
  let after: Pick<Chunk, 'firstAt' | 'number'> = { firstAt: Number.MIN_SAFE_INTEGER, number: 0 }
  for (;;) {
    const chunks: Chunk[] = await database.rows<Chunk>({
      name: 'content-chunks',
      text: `SELECT trace, day, number, first_at AS "firstAt", spans FROM span_chunks
        WHERE (trace, day) = (SELECT number, day FROM traces WHERE trace_id = $1) AND (first_at, number) > ($2, $3)
        ORDER BY first_at, number LIMIT ${CHUNK_PAGE}`,
      values: [traceId, after.firstAt, after.number],
    })
    for (const { trace, day, number, firstAt, spans: stored } of chunks) {
      const spans = withoutContent(stored, conversation)
      if (spans === undefined) continue
      await database.change({
        name: 'erase-content',
        text: `UPDATE span_chunks SET spans = $5 WHERE trace = $1 AND first_at = $2 AND number = $3 AND day = $4`,
        values: [trace, firstAt, number, day, spans],
      })
    }
    const last = chunks.at(-1)
    if (chunks.length < CHUNK_PAGE || !last) return
    after = last
  }
}
