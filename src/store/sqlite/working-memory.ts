import type { Retention } from '../retention.ts'
import type {
  WorkingMemoryChange,
  WorkingMemoryKey,
  WorkingMemoryRow,
} from '../agents/working-memory-store.ts'
import type { Database, Statement } from './driver.ts'

const OF_KEY = 'agent_id = ? AND user = ?'

/** Working memory in SQLite. */
export class WorkingMemory {
  readonly #get: Statement
  readonly #insert: Statement
  readonly #update: Statement
  readonly #touch: Statement
  readonly #delete: Statement
  readonly #expire: Statement
  readonly #total: Statement
  readonly #deleteOldest: Statement

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    const oldest = 'SELECT number FROM working_memory'
    this.#get = prepare(
      `SELECT value, owner, revision, used_at AS usedAt FROM working_memory WHERE ${OF_KEY}`,
    )
    this.#insert = prepare(
      `INSERT INTO working_memory (agent_id, user, value, owner, revision, used_at) VALUES (?, ?, ?, ?, 1, ?)
       ON CONFLICT DO NOTHING`,
    )
    this.#update = prepare(
      `UPDATE working_memory SET value = ?, owner = coalesce(owner, ?), revision = revision + 1, used_at = max(used_at, ?)
       WHERE ${OF_KEY} AND revision = ?`,
    )
    this.#touch = prepare(`UPDATE working_memory SET used_at = ? WHERE ${OF_KEY} AND used_at < ?`)
    this.#delete = prepare(`DELETE FROM working_memory WHERE ${OF_KEY}`)
    this.#expire = prepare(
      `DELETE FROM working_memory WHERE number IN (${oldest} WHERE used_at < ? ORDER BY used_at LIMIT ?)`,
    )
    this.#total = prepare('SELECT count(*) AS total FROM working_memory')
    this.#deleteOldest = prepare(
      `DELETE FROM working_memory WHERE number IN (${oldest} ORDER BY used_at LIMIT ?)`,
    )
  }

  get(key: WorkingMemoryKey): WorkingMemoryRow | undefined {
    const [row] = this.#get.all(...valuesOf(key)) as WorkingMemoryRow[]
    return row
  }

  put(key: WorkingMemoryKey, { value, owner, revision, at }: WorkingMemoryChange): boolean {
    const { changes } =
      revision === 0
        ? this.#insert.run(...valuesOf(key), value, owner, at)
        : this.#update.run(value, owner, at, ...valuesOf(key), revision)
    return Number(changes) > 0
  }

  touch(key: WorkingMemoryKey, at: number): void {
    this.#touch.run(at, ...valuesOf(key), at)
  }

  delete(key: WorkingMemoryKey): boolean {
    return Number(this.#delete.run(...valuesOf(key)).changes) > 0
  }

  prune({ endedBefore, keep }: Retention, limit: number): number {
    const expired = Number(this.#expire.run(endedBefore, limit).changes)
    if (expired > 0) return expired
    const surplus = (this.#total.get() as { total: number }).total - keep
    return surplus > 0 ? Number(this.#deleteOldest.run(Math.min(surplus, limit)).changes) : 0
  }
}

function valuesOf({ agentId, userId }: WorkingMemoryKey): [string, string] {
  return [agentId, JSON.stringify(userId)]
}
