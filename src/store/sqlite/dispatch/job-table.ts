import type { Clock } from '../../../lib/clock.ts'
import type { Job, JobChange } from '../../dispatcher.ts'
import { NOBODY } from '../../queue-store.ts'
import { isTakenOver } from '../../rows/agent-run-columns.ts'
import type { Database, Statement } from '../driver.ts'

export interface StoredJob {
  /** Not used again while the process lives: a job that replaces one has another number. */
  readonly number: number
  readonly at: number
  /** How often it was tried. */
  readonly attempts: number
  /** JSON text. */
  readonly job: string
}

/** The stored jobs. Changes are made in a transaction of the caller, who then calls `committed` or `discard`. */
export class JobTable {
  /** Called after jobs were added. */
  onAdded: () => void = () => undefined
  readonly #put: Statement
  readonly #drop: Statement
  readonly #delete: Statement
  readonly #postpone: Statement
  readonly #due: Statement
  readonly #first: Statement
  readonly #next: Statement
  readonly #expedite: Statement
  readonly #takeOver: Statement
  readonly #takeOverRuns: Statement
  readonly #lost: Statement
  readonly #clock: Clock
  #lastNumber: number
  #added = false

  constructor(database: Database, clock: Clock) {
    this.#clock = clock
    const prepare = (sql: string) => database.prepare(sql)
    this.#put = prepare('INSERT OR REPLACE INTO jobs (number, key, job, at) VALUES (?, ?, ?, ?)')
    this.#drop = prepare('DELETE FROM jobs WHERE key = ?')
    this.#delete = prepare('DELETE FROM jobs WHERE number = ?')
    this.#postpone = prepare('UPDATE jobs SET attempts = ?, at = ? WHERE number = ?')
    this.#due = prepare(
      'SELECT number, at, attempts, job FROM jobs WHERE at <= ? ORDER BY at, number LIMIT ?',
    )
    this.#first = prepare('SELECT min(at) AS at FROM jobs')
    this.#next = prepare('SELECT min(at) AS at FROM jobs WHERE at > ?')
    this.#expedite = prepare('UPDATE jobs SET at = ?1 WHERE attempts > 0 AND at > ?1')
    this.#takeOver = prepare(
      `INSERT OR REPLACE INTO jobs (number, key, job, at)
       SELECT ?1 + 1 + given.key, 'continue:' || executions.id,
         json_object('kind', 'continue', 'id', executions.id, 'from', owner_epoch), ?2
       FROM json_each(?3) AS given JOIN executions ON number = given.value`,
    )
    this.#lost = prepare(
      `SELECT number FROM executions
       WHERE ended_at IS NULL AND status = 'running' AND owner_epoch < ? AND owner_epoch <> ${NOBODY}
       ORDER BY created_at, number`,
    )
    this.#takeOverRuns = prepare(
      `INSERT OR REPLACE INTO jobs (number, key, job, at)
       SELECT ?1 + row_number() OVER (ORDER BY number), 'continue-run:' || id,
         json_object('kind', 'continue-run', 'id', id, 'from', owner_epoch), ?2
       FROM agent_runs WHERE ${isTakenOver('executions')} AND owner_epoch < ?3`,
    )
    const { last } = prepare('SELECT coalesce(max(number), 0) AS last FROM jobs').get() as { last: number }
    this.#lastNumber = last
  }

  change({ add = [], drop = [] }: JobChange): void {
    for (const key of drop) this.#drop.run(key)
    for (const { key, job, at = this.#clock.now() } of add) {
      this.#put.run(++this.#lastNumber, key, JSON.stringify(job), at)
      this.#added = true
    }
  }

  committed(): void {
    if (!this.#added) return
    this.#added = false
    this.onAdded()
  }

  discard(): void {
    this.#added = false
  }

  /** The numbers of the running executions of earlier owners, the oldest first. */
  lost(ownerEpoch: number): number[] {
    return (this.#lost.all(ownerEpoch) as { number: number }[]).map(({ number }) => number)
  }

  /** Adds a job for each of these running executions, in this order. */
  takeOver(numbers: readonly number[], now: number): void {
    this.#takeOver.run(this.#lastNumber, now, JSON.stringify(numbers))
    this.#lastNumber += numbers.length
  }

  /** Adds a job for each answer to a client of an earlier owner that its execution does not continue. */
  takeOverRuns(ownerEpoch: number, now: number): void {
    this.#lastNumber += Number(this.#takeOverRuns.run(this.#lastNumber, now, ownerEpoch).changes)
  }

  /** Makes jobs due that were tried before. */
  expedite(now: number): void {
    this.#expedite.run(now)
  }

  /** In the order of their times. */
  due(now: number, limit: number): StoredJob[] {
    return this.#due.all(now, limit) as StoredJob[]
  }

  /** The earliest time of a job, also of those that are due. */
  firstAt(): number | undefined {
    return timeOf(this.#first.get())
  }

  /** The earliest time after `now`. */
  nextAt(now: number): number | undefined {
    return timeOf(this.#next.get(now))
  }

  delete({ number }: StoredJob): void {
    this.#delete.run(number)
  }

  postpone({ number, attempts }: StoredJob, at: number): void {
    this.#postpone.run(attempts + 1, at, number)
  }
}

export function jobOf({ job }: StoredJob): Job {
  return JSON.parse(job) as Job
}

function timeOf(row: unknown): number | undefined {
  return (row as { at: number | null }).at ?? undefined
}
