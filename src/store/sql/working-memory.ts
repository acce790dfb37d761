import type {
  WorkingMemoryChange,
  WorkingMemoryKey,
  WorkingMemoryRow,
  WorkingMemoryStore,
} from '../agents/working-memory-store.ts'
import { pruneOldestOf } from './prune-oldest.ts'
import type { Sql } from './sql.ts'

const OF_KEY = 'agent_id = ? AND user_key = ?'
const GET = `SELECT value, owner, revision, used_at AS "usedAt" FROM working_memory WHERE ${OF_KEY}`
const INSERT = `INSERT INTO working_memory (value, owner, used_at, agent_id, user_key, revision) VALUES (?, ?, ?, ?, ?, 1)
  ON CONFLICT DO NOTHING`
const UPDATE = `UPDATE working_memory SET value = ?, owner = coalesce(owner, ?), revision = revision + 1,
  used_at = CASE WHEN used_at > ? THEN used_at ELSE ? END WHERE ${OF_KEY} AND revision = ?`
const TOUCH = `UPDATE working_memory SET used_at = ? WHERE ${OF_KEY} AND used_at < ?`
const DELETE = `DELETE FROM working_memory WHERE ${OF_KEY}`

/** Working memory of agents. */
export class WorkingMemory implements WorkingMemoryStore {
  readonly prune: WorkingMemoryStore['prune']
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
    this.prune = pruneOldestOf(sql, { table: 'working_memory', age: 'used_at' })
  }

  get(key: WorkingMemoryKey): Promise<WorkingMemoryRow | undefined> {
    return this.#sql.first(GET, valuesOf(key))
  }

  async put(key: WorkingMemoryKey, { value, owner, revision, at }: WorkingMemoryChange): Promise<boolean> {
    const changed =
      revision === 0
        ? await this.#sql.run(INSERT, [value, owner, at, ...valuesOf(key)])
        : await this.#sql.run(UPDATE, [value, owner, at, at, ...valuesOf(key), revision])
    return changed > 0
  }

  async touch(key: WorkingMemoryKey, at: number): Promise<void> {
    await this.#sql.run(TOUCH, [at, ...valuesOf(key), at])
  }

  async delete(key: WorkingMemoryKey): Promise<boolean> {
    return (await this.#sql.run(DELETE, valuesOf(key))) > 0
  }
}

function valuesOf({ agentId, userId }: WorkingMemoryKey): [string, string] {
  return [agentId, JSON.stringify(userId)]
}
