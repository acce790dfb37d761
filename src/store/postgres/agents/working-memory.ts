import type { Retention } from '../../retention.ts'
import type {
  WorkingMemoryChange,
  WorkingMemoryKey,
  WorkingMemoryRow,
  WorkingMemoryStore,
} from '../../agents/working-memory-store.ts'
import type { Databases } from '../connection/database.ts'
import { pruneOldest } from '../prune-oldest.ts'

const OF_KEY = 'agent_id = $1 AND user_key = $2'
const TABLE = { table: 'working_memory', age: 'used_at', condition: 'true' } as const

/** A row without the expected revision conflicts with the inserted one and is not updated. */
const PUT = `INSERT INTO working_memory AS old (agent_id, user_key, value, owner, revision, used_at)
  SELECT $1, $2, $3, $4, 1, $6 WHERE $5::bigint = 0 OR EXISTS (SELECT 1 FROM working_memory WHERE ${OF_KEY})
  ON CONFLICT (agent_id, user_key) DO UPDATE SET value = excluded.value,
    owner = coalesce(old.owner, excluded.owner), revision = old.revision + 1,
    used_at = greatest(old.used_at, excluded.used_at)
  WHERE old.revision = $5`

/** Working memory in Postgres. */
export class PostgresWorkingMemory implements WorkingMemoryStore {
  readonly #databases: Pick<Databases, 'writes' | 'reads'>

  constructor(databases: Pick<Databases, 'writes' | 'reads'>) {
    this.#databases = databases
  }

  async get(key: WorkingMemoryKey): Promise<WorkingMemoryRow | undefined> {
    const [row] = await this.#databases.reads.rows<WorkingMemoryRow>({
      name: 'working-memory',
      text: `SELECT value, owner, revision, used_at AS "usedAt" FROM working_memory WHERE ${OF_KEY}`,
      values: valuesOf(key),
    })
    return row
  }

  async put(key: WorkingMemoryKey, change: WorkingMemoryChange): Promise<boolean> {
    const { value, owner, revision, at } = change
    const values = [...valuesOf(key), value, owner, revision, at]
    const query = { name: 'put-working-memory', text: PUT, values }
    return (await this.#databases.writes.change(query)) > 0
  }

  async touch(key: WorkingMemoryKey, at: number): Promise<void> {
    await this.#databases.writes.change({
      name: 'touch-working-memory',
      text: `UPDATE working_memory SET used_at = $3 WHERE ${OF_KEY} AND used_at < $3`,
      values: [...valuesOf(key), at],
    })
  }

  async delete(key: WorkingMemoryKey): Promise<boolean> {
    const deleted = await this.#databases.writes.change({
      name: 'delete-working-memory',
      text: `DELETE FROM working_memory WHERE ${OF_KEY}`,
      values: valuesOf(key),
    })
    return deleted > 0
  }

  prune(retention: Retention, limit: number): Promise<number> {
    return pruneOldest(this.#databases.writes, TABLE, { ...retention, limit })
  }
}

function valuesOf({ agentId, userId }: WorkingMemoryKey): [string, string] {
  return [agentId, JSON.stringify(userId)]
}
