import type { ConversationKey } from '../../agents/conversation-store.ts'
import { withoutContent } from '../../rows/traces/erase-content.ts'
import type { Database, Statement } from '../driver.ts'
import { firstChunk } from './chunk-numbers.ts'

/** Removes the content of conversations from stored spans. */
export class ContentEraser {
  readonly #trace: Statement
  readonly #next: Statement
  readonly #update: Statement

  constructor(database: Database) {
    this.#trace = database.prepare('SELECT number FROM traces WHERE trace_id = ?')
    this.#next = database.prepare(
      'SELECT number, spans FROM span_chunks WHERE number >= ? AND number < ? ORDER BY number LIMIT 1',
    )
    this.#update = database.prepare('UPDATE span_chunks SET spans = ? WHERE number = ?')
  }

  erase(traceId: string, conversation: ConversationKey): void {
    const trace = this.#trace.get(traceId) as { readonly number: number } | undefined
    if (!trace) return
    const end = firstChunk(trace.number + 1)
    for (let next = firstChunk(trace.number); ;) {
      const chunk = this.#next.get(next, end) as
        | { readonly number: number; readonly spans: string }
        | undefined
      if (!chunk) return
      const spans = withoutContent(chunk.spans, conversation)
      if (spans !== undefined) this.#update.run(spans, chunk.number)
      next = chunk.number + 1
    }
  }
}
