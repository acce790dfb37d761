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

/** Ids kept to recognize a record that is appended twice, as by a page and live. */
const MAX_RECENT = 5000

/** Records in chronological order, each once, as lines. */
export class LogLines {
  #lines: LogLine[] = []
  #recent = new Set<string>()
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

  /**
   * Appends newer records. One that arrives late, from another machine, is inserted at its place, unless it is older
   * than all. Returns the number of lines trimmed at the start.
   */
  append(records: readonly LogRecord[]): number {
    const lines = [...this.#lines]
    for (const record of records) {
      if (this.#recent.has(record.id)) continue
      this.#recent.add(record.id)
      const before = lines.at(-1)
      if (before && !isLater(record, before.last)) insertLate(lines, record)
      else if (before && this.#grouped && isRepeat(before.last, record))
        lines[lines.length - 1] = { ...before, count: before.count + 1, last: record }
      else lines.push({ record, count: 1, last: record })
    }
    if (this.#recent.size > MAX_RECENT) this.#recent = new Set([...this.#recent].slice(-MAX_RECENT / 2))
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

function insertLate(lines: LogLine[], record: LogRecord): void {
  const index = lines.findLastIndex(({ last }) => isLater(record, last))
  const isKnown = lines[index + 1]?.record.id === record.id
  if (index !== -1 && !isKnown) lines.splice(index + 1, 0, { record, count: 1, last: record })
}

function isRepeat(one: LogRecord, other: LogRecord): boolean {
  return one.message === other.message && one.level === other.level
}
