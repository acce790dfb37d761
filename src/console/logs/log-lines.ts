import type { LogRecord } from '../../contract/endpoints/log.ts'

/** A line of the list: a record, or several in a row that say the same. */
export interface LogLine {
  readonly record: LogRecord
  /** How many there are in a row, and when the last of them was made. */
  readonly count: number
  readonly last: LogRecord
}

/** Lines that are kept; older ones are fetched again when they are asked for. */
export const MAX_LINES = 20_000
/** Trimmed in one go, so that it happens seldom. */
const TRIM = 2000

/** Records in order of their making, each once, as lines. */
export class LogLines {
  #lines: LogLine[] = []
  readonly #grouped: boolean

  constructor(grouped: boolean) {
    this.#grouped = grouped
  }

  get list(): readonly LogLine[] {
    return this.#lines
  }

  get oldest(): LogRecord | undefined {
    return this.#lines[0]?.record
  }

  get newest(): LogRecord | undefined {
    return this.#lines.at(-1)?.last
  }

  /** Adds records that were made after those that are here. Gives how many lines went at the other end. */
  append(records: readonly LogRecord[]): number {
    const lines = [...this.#lines]
    for (const record of records) {
      const before = lines.at(-1)
      if (before && !isLater(record, before.last)) continue
      if (before && this.#grouped && isRepeat(before.last, record))
        lines[lines.length - 1] = { ...before, count: before.count + 1, last: record }
      else lines.push({ record, count: 1, last: record })
    }
    const surplus = lines.length > MAX_LINES + TRIM ? lines.length - MAX_LINES : 0
    this.#lines = surplus > 0 ? lines.slice(surplus) : lines
    return surplus
  }

  /** Adds records that were made before those that are here, oldest first. Gives how many lines came. */
  prepend(records: readonly LogRecord[]): number {
    const { oldest } = this
    const older = new LogLines(this.#grouped)
    older.append(oldest ? records.filter((record) => isLater(oldest, record)) : records)
    this.#lines = [...older.list, ...this.#lines]
    return older.list.length
  }
}

/** Ids are numbers that grow with time; as texts they may be of different lengths. */
export function isLater(one: LogRecord, other: LogRecord): boolean {
  if (one.id.length !== other.id.length) return one.id.length > other.id.length
  return one.id > other.id
}

function isRepeat(one: LogRecord, other: LogRecord): boolean {
  return one.message === other.message && one.level === other.level
}
