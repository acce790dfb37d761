import type { LogRecord } from '../../contract/endpoints/log.ts'

/** A line of the list: one record, or consecutive records with the same message. */
export interface LogLine {
  readonly record: LogRecord
  /** Number of consecutive records. */
  readonly count: number
  /** The newest of them. */
  readonly last: LogRecord
}

/** Lines kept in memory; older ones are fetched again on demand. */
export const MAX_LINES = 20_000
/** Number of lines trimmed together, so that trimming is rare. */
const TRIM = 2000

/** Records in chronological order, each once, as lines. */
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

  /** Appends newer records. Returns the number of lines trimmed at the start. */
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

  /** Prepends older records, oldest first. Returns the number of lines added. */
  prepend(records: readonly LogRecord[]): number {
    const { oldest } = this
    const older = new LogLines(this.#grouped)
    older.append(oldest ? records.filter((record) => isLater(oldest, record)) : records)
    this.#lines = [...older.list, ...this.#lines]
    return older.list.length
  }
}

/** Whether a record is newer: ids are increasing numbers as strings, possibly of different length. */
export function isLater(one: LogRecord, other: LogRecord): boolean {
  if (one.id.length !== other.id.length) return one.id.length > other.id.length
  return one.id > other.id
}

function isRepeat(one: LogRecord, other: LogRecord): boolean {
  return one.message === other.message && one.level === other.level
}
