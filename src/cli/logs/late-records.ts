import type { LogQuery, LogRecord } from '../../contract/endpoints/log.ts'

/** Maximum number of records and ids that are remembered. */
const MAX_KEPT = 10_000

/**
 * Finds the records that a query for newer ones misses: the id of a record is its time, and another machine may store it
 * after later ones, or have a clock that is behind.
 */
export class LateRecords {
  readonly #query: LogQuery
  readonly #received = new Map<string, LogRecord>()
  readonly #printed = new Set<string>()

  constructor(query: LogQuery) {
    this.#query = query
  }

  /** A record that the server has sent as it was logged. */
  receive(record: LogRecord): void {
    if (!this.#printed.has(record.id) && matches(record, this.#query)) this.#received.set(record.id, record)
    trim(this.#received)
  }

  /** These records are printed. Returns the received ones that no query for records after the last one will have. */
  printed(records: readonly LogRecord[], last: Pick<LogRecord, 'id'>): LogRecord[] {
    for (const { id } of records) this.#remember(id)
    const late = [...this.#received.values()].filter(({ id }) => Number(id) <= Number(last.id))
    for (const { id } of late) this.#remember(id)
    return late.toSorted((a, b) => Number(a.id) - Number(b.id))
  }

  #remember(id: string): void {
    this.#received.delete(id)
    this.#printed.add(id)
    trim(this.#printed)
  }
}

/** Drops the oldest. */
function trim(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size <= MAX_KEPT) return
  const [oldest = ''] = kept.keys()
  kept.delete(oldest)
}

/** The filters that the channel of log records does not have. */
function matches(
  { timestamp, attributes }: LogRecord,
  { workflowId, agentId, since, until }: LogQuery,
): boolean {
  const at = Date.parse(timestamp)
  return (
    (workflowId === undefined || attributes['workflowId'] === workflowId) &&
    (agentId === undefined || attributes['agentId'] === agentId) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at < Date.parse(until))
  )
}
