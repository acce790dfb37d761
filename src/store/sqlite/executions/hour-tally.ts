import { HOUR_MS } from '../../activity-store.ts'
import { HOUR_COLUMNS } from '../../rows/hour-columns.ts'
import type { Database, Statement } from '../driver.ts'

export type HourColumn = (typeof HOUR_COLUMNS)[number][1]

type HourSums = Record<HourColumn, number | null>

const NOTHING = Object.fromEntries(HOUR_COLUMNS.map(([, key]) => [key, 0])) as HourSums

/** Sums the counts of a transaction, so that the row of an hour is written once. */
export class HourTally {
  readonly #add: Statement
  readonly #hours = new Map<number, HourSums>()

  constructor(database: Database) {
    const names = HOUR_COLUMNS.map(([column]) => column)
    const sums = names.map((name) => `${name} = ${name} + excluded.${name}`)
    this.#add = database.prepare(
      `INSERT INTO hours (hour, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})
       ON CONFLICT (hour) DO UPDATE SET ${sums.join(', ')}`,
    )
  }

  /** Adds to a count of the hour of `at`; with null it is unknown. */
  count(at: number, column: HourColumn, by: number | null = 1): void {
    const hour = Math.floor(at / HOUR_MS)
    const row = this.#hours.get(hour) ?? { ...NOTHING }
    const before = row[column]
    row[column] = before === null || by === null ? null : before + by
    this.#hours.set(hour, row)
  }

  /** Writes the counts. Must be called in the transaction. */
  store(): void {
    for (const [hour, row] of this.#hours) this.#add.run(hour, ...HOUR_COLUMNS.map(([, key]) => row[key]))
    this.#hours.clear()
  }

  /** Discards the counts, after a rollback. */
  discard(): void {
    this.#hours.clear()
  }
}
