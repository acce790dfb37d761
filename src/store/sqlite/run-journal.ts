import type { AnswerParts, RecordedCall, StoredParts } from '../agents/agent-journal.ts'
import type { Suspicion } from '../crash.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'

const OWNED = "id = ? AND owner_epoch = ? AND status = 'running'"

/** The calls of agent runs, and the parts of their answers, in SQLite. */
export class RunJournal {
  readonly #database: Database
  readonly #ownerEpoch: number
  readonly #continuation: Statement
  readonly #claim: Statement
  readonly #begin: Statement
  readonly #pass: Statement
  readonly #leave: Statement
  readonly #record: Statement
  readonly #progress: Statement
  readonly #calls: Statement
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
      `UPDATE agent_runs SET owner_epoch = ?, crashes = ?, suspected = ?, trial = 'waiting'
       WHERE id = ? AND owner_epoch = ? AND status = 'running' AND continuation IS NOT NULL`,
    )
    this.#begin = prepare(`UPDATE agent_runs SET trial = NULL WHERE ${OWNED}`)
    this.#pass = prepare(`UPDATE agent_runs SET trial = 'passed' WHERE ${OWNED}`)
    this.#leave = prepare(`UPDATE agent_runs SET trial = 'waiting' WHERE ${OWNED}`)
    this.#record = prepare(
      `INSERT OR REPLACE INTO agent_calls (run, key, value) SELECT number, ?, ? FROM agent_runs WHERE ${OWNED}`,
    )
    this.#progress = prepare(
      'UPDATE agent_runs SET crashes = 0, suspected = 0 WHERE id = ? AND crashes + suspected <> 0',
    )
    const run = '(SELECT number FROM agent_runs WHERE id = ?)'
    this.#calls = prepare(`SELECT key, value FROM agent_calls WHERE run = ${run}`)
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

  claim(id: string, from: number, { crashes, suspected }: Omit<Suspicion, 'trial'>): boolean {
    return inTransaction(this.#database, () => {
      if (Number(this.#claim.run(this.#ownerEpoch, crashes, suspected, id, from).changes) === 0) return false
      this.forgetParts(id)
      return true
    })
  }

  /** Forgets the parts of an answer that begins again, in the caller's transaction. */
  forgetParts(id: string): void {
    this.#forgetParts.run(id)
  }

  begin(id: string): boolean {
    return Number(this.#begin.run(id, this.#ownerEpoch).changes) > 0
  }

  pass(id: string): void {
    this.#pass.run(id, this.#ownerEpoch)
  }

  progress(id: string): void {
    this.#progress.run(id)
  }

  leave(ids: readonly string[]): void {
    inTransaction(this.#database, () => {
      for (const id of ids) this.#leave.run(id, this.#ownerEpoch)
    })
  }

  record(calls: readonly RecordedCall[]): boolean[] {
    return inTransaction(this.#database, () =>
      calls.map(({ runId, key, value }) => {
        if (Number(this.#record.run(key, value, runId, this.#ownerEpoch).changes) === 0) return false
        this.#progress.run(runId)
        return true
      }),
    )
  }

  calls(id: string): ReadonlyMap<string, string> {
    const rows = this.#calls.all(id) as { key: string; value: string }[]
    return new Map(rows.map(({ key, value }) => [key, value]))
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
