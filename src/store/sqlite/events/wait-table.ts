import type { WaitChange } from '../../event-store.ts'
import type { Database, Statement } from '../driver.ts'

/** The steps that wait for events. Changes are made in a transaction of the caller. */
export class WaitTable {
  readonly #put: Statement
  readonly #drop: Statement
  readonly #take: Statement

  constructor(database: Database) {
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO waits (execution_id, path, name, key, since) VALUES (?, ?, ?, ?, ?)',
    )
    this.#drop = database.prepare('DELETE FROM waits WHERE execution_id = ? AND path = ?')
    this.#take = database.prepare(
      'INSERT OR IGNORE INTO event_takes (event_id, execution_id) SELECT id, ? FROM events WHERE id = ?',
    )
  }

  change(executionId: string, { add, drop, take }: WaitChange): void {
    for (const path of drop) this.#drop.run(executionId, path)
    for (const id of take) this.#take.run(executionId, id)
    for (const { path, name, key, since } of add) this.#put.run(executionId, path, name, key, since)
  }
}
