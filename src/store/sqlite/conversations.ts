import { MAX_MESSAGES } from '../agent-store.ts'
import type { ConversationKey, Exchange } from '../agent-store.ts'
import type { Retention } from '../retention.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'

/** Conversations in SQLite. */
export class Conversations {
  readonly #database: Database
  readonly #find: Statement
  readonly #touch: Statement
  readonly #newest: Statement
  readonly #last: Statement
  readonly #insert: Statement
  readonly #deleteUpTo: Statement
  readonly #expired: Statement
  readonly #total: Statement
  readonly #oldest: Statement
  readonly #deletes: readonly Statement[]

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#find = prepare('SELECT number, owner FROM conversations WHERE user = ? AND id = ?')
    this.#touch = prepare(
      `INSERT INTO conversations (user, id, updated_at, owner) VALUES (?, ?, ?, ?)
       ON CONFLICT (user, id) DO UPDATE SET updated_at = excluded.updated_at, owner = coalesce(owner, excluded.owner)`,
    )
    this.#newest = prepare('SELECT message FROM messages WHERE conversation = ? ORDER BY seq DESC LIMIT ?')
    this.#last = prepare('SELECT max(seq) AS seq FROM messages WHERE conversation = ?')
    this.#insert = prepare('INSERT INTO messages VALUES (?, ?, ?)')
    this.#deleteUpTo = prepare('DELETE FROM messages WHERE conversation = ? AND seq <= ?')
    this.#expired = prepare(
      'SELECT number FROM conversations WHERE updated_at < ? ORDER BY updated_at LIMIT ?',
    )
    this.#total = prepare('SELECT count(*) AS total FROM conversations')
    this.#oldest = prepare('SELECT number FROM conversations ORDER BY updated_at LIMIT ?')
    this.#deletes = [
      prepare('DELETE FROM messages WHERE conversation = ?'),
      prepare('DELETE FROM conversations WHERE number = ?'),
    ]
  }

  owner(key: ConversationKey): string | null {
    return this.#row(key)?.owner ?? null
  }

  messages(key: ConversationKey, limit: number): string[] {
    const number = this.#row(key)?.number
    if (number === undefined) return []
    const rows = this.#newest.all(number, limit) as { message: string }[]
    return rows.map(({ message }) => message).toReversed()
  }

  /** Appends to a conversation, in the caller's transaction. */
  add({ key, owner, messages, replace }: Exchange, now: number): void {
    this.#touch.run(userOf(key), key.conversationId, now, owner)
    const { number } = this.#row(key) as ConversationRow
    const last = (this.#last.get(number) as { seq: number | null }).seq ?? 0
    for (const [index, message] of messages.entries()) this.#insert.run(number, last + 1 + index, message)
    this.#deleteUpTo.run(number, replace ? last : last + messages.length - MAX_MESSAGES)
  }

  prune({ endedBefore, keep }: Retention, limit: number): number {
    const expired = this.#expired.all(endedBefore, limit)
    if (expired.length > 0) return this.#delete(expired)
    const surplus = (this.#total.get() as { total: number }).total - keep
    return surplus > 0 ? this.#delete(this.#oldest.all(Math.min(surplus, limit))) : 0
  }

  #row(key: ConversationKey): ConversationRow | undefined {
    const [row] = this.#find.all(userOf(key), key.conversationId) as ConversationRow[]
    return row
  }

  #delete(rows: readonly unknown[]): number {
    return inTransaction(this.#database, () => {
      for (const row of rows)
        for (const statement of this.#deletes) statement.run((row as { number: number }).number)
      return rows.length
    })
  }
}

interface ConversationRow {
  readonly number: number
  readonly owner: string | null
}

function userOf({ userId }: ConversationKey): string {
  return JSON.stringify(userId)
}
