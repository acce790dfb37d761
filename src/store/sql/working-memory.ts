import type {
  WorkingMemoryChange,
  WorkingMemoryKey,
  WorkingMemoryRow,
  WorkingMemoryStore,
} from '../agents/working-memory-store.ts'
import type { Dialect } from './dialect.ts'
import { pruneOldestOf } from './prune-oldest.ts'
import type { Sql } from './sql.ts'

const textsOf = ({ userKey }: Dialect) => {
  const ofKey = `agent_id = ? AND ${userKey} = ?`
  return {
    get: `SELECT value, owner, revision, used_at AS "usedAt" FROM working_memory WHERE ${ofKey}`,
    insert: `INSERT INTO working_memory (value, owner, used_at, agent_id, ${userKey}, revision) VALUES (?, ?, ?, ?, ?, 1)
      ON CONFLICT DO NOTHING`,
    update: `UPDATE working_memory SET value = ?, owner = coalesce(owner, ?), revision = revision + 1,
      used_at = CASE WHEN used_at > ? THEN used_at ELSE ? END WHERE ${ofKey} AND revision = ?`,
    touch: `UPDATE working_memory SET used_at = ? WHERE ${ofKey} AND used_at < ?`,
    delete: `DELETE FROM working_memory WHERE ${ofKey}`,
  }
}

/** Working memory of agents. */
export class WorkingMemory implements WorkingMemoryStore {
  readonly prune: WorkingMemoryStore['prune']
  readonly #sql: Sql
  readonly #texts: ReturnType<typeof textsOf>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#texts = textsOf(sql.dialect)
    this.prune = pruneOldestOf(sql, { table: 'working_memory', age: 'used_at' })
  }

  get(key: WorkingMemoryKey): Promise<WorkingMemoryRow | undefined> {
    return this.#sql.first(this.#texts.get, valuesOf(key))
  }

  async put(key: WorkingMemoryKey, { value, owner, revision, at }: WorkingMemoryChange): Promise<boolean> {
    const { insert, update } = this.#texts
    const changed =
      revision === 0
        ? await this.#sql.run(insert, [value, owner, at, ...valuesOf(key)])
        : await this.#sql.run(update, [value, owner, at, at, ...valuesOf(key), revision])
    return changed > 0
  }

  async touch(key: WorkingMemoryKey, at: number): Promise<void> {
    await this.#sql.run(this.#texts.touch, [at, ...valuesOf(key), at])
  }

  async delete(key: WorkingMemoryKey): Promise<boolean> {
    return (await this.#sql.run(this.#texts.delete, valuesOf(key))) > 0
  }
}

function valuesOf({ agentId, userId }: WorkingMemoryKey): [string, string] {
  return [agentId, JSON.stringify(userId)]
}
