import type { ConversationKey, ConversationStore } from '../../agent-store.ts'
import type { Retention } from '../../retention.ts'
import type { Databases } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { pruneOldest } from '../prune-oldest.ts'

const OF_KEY = 'user_key = $1 AND id = $2'
const CONVERSATIONS = { table: 'conversations', age: 'updated_at', condition: 'true' } as const

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

  prune(retention: Retention, limit: number): Promise<number> {
    return pruneOldest(this.#databases.writes, CONVERSATIONS, { ...retention, limit })
  }
}

/** The columns of a key. */
export function keyValues({ userId, conversationId }: ConversationKey): readonly [string, string] {
  return [JSON.stringify(userId), escapeNul(conversationId)]
}
