import type { AnswerParts, StoredParts } from '../agents/agent-journal.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'

const OWNED = "id = ? AND owner_epoch = ? AND status = 'running'"

/** What agent runs need to continue, and the parts of their answers, in SQLite. */
export class RunJournal {
  readonly #database: Database
  readonly #ownerEpoch: number
  readonly #continuation: Statement
  readonly #claim: Statement
  readonly #append: Statement
  readonly #parts: Statement
  readonly #forgetParts: Statement
  readonly #pruneParts: Statement

  constructor(database: Database, ownerEpoch: number) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#ownerEpoch = ownerEpoch
    this.#continuation = prepare('SELECT continuation FROM agent_runs WHERE id = ?')
    this.#claim = prepare(
      `UPDATE agent_runs SET owner_epoch = ?
       WHERE id = ? AND owner_epoch = ? AND status = 'running' AND continuation IS NOT NULL`,
    )
    const run = '(SELECT number FROM agent_runs WHERE id = ?)'
    this.#append = prepare(
      `INSERT OR REPLACE INTO agent_parts (run, seq, data) SELECT number, ?, ? FROM agent_runs WHERE ${OWNED}`,
    )
    this.#parts = prepare(
      `SELECT seq, data FROM agent_parts WHERE run = ${run} AND seq > ? ORDER BY seq LIMIT ?`,
    )
    this.#forgetParts = prepare(`DELETE FROM agent_parts WHERE run = ${run}`)
    this.#pruneParts = prepare(
      `DELETE FROM agent_parts WHERE run IN (
         SELECT DISTINCT run FROM agent_parts JOIN agent_runs r ON r.number = run WHERE r.ended_at < ? LIMIT ?)
       RETURNING run`,
    )
  }

  continuation(id: string): string | null {
    const row = this.#continuation.get(id) as { continuation: string | null } | undefined
    return row?.continuation ?? null
  }

  claim(id: string, from: number): boolean {
    return inTransaction(this.#database, () => {
      if (Number(this.#claim.run(this.#ownerEpoch, id, from).changes) === 0) return false
      this.forgetParts(id)
      return true
    })
  }

  /** Forgets the parts of an answer that begins again, in the caller's transaction. */
  forgetParts(id: string): void {
    this.#forgetParts.run(id)
  }

  appendParts(parts: readonly AnswerParts[]): boolean[] {
    return inTransaction(this.#database, () =>
      parts.map(
        ({ runId, seq, data }) => Number(this.#append.run(seq, data, runId, this.#ownerEpoch).changes) > 0,
      ),
    )
  }

  parts(id: string, { after, limit }: { readonly after: number; readonly limit: number }): StoredParts[] {
    return this.#parts.all(id, after, limit) as StoredParts[]
  }

  pruneParts(endedBefore: number, limit: number): number {
    const rows = this.#pruneParts.all(endedBefore, limit) as { run: number }[]
    return new Set(rows.map(({ run }) => run)).size
  }
}
