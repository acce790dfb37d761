import type { ConversationKey, ConversationStore } from '../../agent-store.ts'
import type { Retention } from '../../retention.ts'
import type { Databases } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'

const OF_KEY = 'user_key = $1 AND id = $2'
const OLDEST = 'SELECT number FROM conversations'

/** Conversations in Postgres. Agent runs add to them as they end. */
export class PostgresConversations implements ConversationStore {
  readonly #databases: Pick<Databases, 'writes' | 'reads'>

  constructor(databases: Pick<Databases, 'writes' | 'reads'>) {
    this.#databases = databases
  }

  async owner(key: ConversationKey): Promise<string | null> {
    const [row] = await this.#databases.reads.rows<{ owner: string | null }>({
      name: 'conversation-owner',
      text: `SELECT owner FROM conversations WHERE ${OF_KEY}`,
      values: keyValues(key),
    })
    return row?.owner ?? null
  }

  async messages(key: ConversationKey, limit: number): Promise<string[]> {
    const rows = await this.#databases.reads.rows<{ message: string }>({
      name: 'conversation-messages',
      text: `SELECT message FROM conversations JOIN messages ON conversation = number AND seq > forgotten
        WHERE ${OF_KEY} ORDER BY seq DESC LIMIT $3`,
      values: [...keyValues(key), limit],
    })
    return rows.map(({ message }) => message).toReversed()
  }

  async prune({ endedBefore, keep }: Retention, limit: number): Promise<number> {
    const expired = await this.#delete('WHERE updated_at < $2', [limit, endedBefore])
    if (expired > 0) return expired
    const [row] = await this.#databases.reads.rows<{ total: number }>({
      text: 'SELECT count(*) AS total FROM conversations',
    })
    const surplus = (row?.total ?? 0) - keep
    return surplus > 0 ? this.#delete('', [Math.min(surplus, limit)]) : 0
  }

  /** Deletes the oldest of those that no other machine is extending or deleting. The first value is their maximum number. */
  #delete(condition: string, values: readonly unknown[]): Promise<number> {
    return this.#databases.writes.change({
      text: `DELETE FROM conversations WHERE number IN (
        ${OLDEST} ${condition} ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      values,
    })
  }
}

/** The columns of a key. */
export function keyValues({ userId, conversationId }: ConversationKey): readonly [string, string] {
  return [JSON.stringify(userId), escapeNul(conversationId)]
}
