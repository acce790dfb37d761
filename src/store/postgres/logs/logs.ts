import { IDS_PER_MS } from '../../log-store.ts'
import type { LogRow, LogStore } from '../../log-store.ts'
import { LOG_COLUMNS } from '../../rows/log-columns.ts'
import { LogList } from '../../sql/log-list.ts'
import { tx } from '../../sql/sql.ts'
import { DayPartitions } from '../telemetry/day-partitions.ts'
import { newestOfProcesses, nextOfProcesses, RemoteTail } from '../telemetry/remote-tail.ts'
import type { TailPosition, TelemetryDeps } from '../telemetry/remote-tail.ts'
import { IDS_PER_DAY, PostgresLogWriter } from './log-writer.ts'

/** A record and its place in the order of its process. */
type TailedLog = LogRow & TailPosition

const SELECTED = LOG_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')
/** Records of one process that are read at a time. */
const TAIL_PAGE = 500
const NEWEST = newestOfProcesses('logs', 'id')
const TAIL = `${nextOfProcesses('logs', 'id', `id AS number, ${SELECTED}`, TAIL_PAGE)} ORDER BY id`

/** Deletes records, and subtracts them from the counts of their days. */
function deletion(condition: string): string {
  return `WITH deleted AS (DELETE FROM logs WHERE ${condition} RETURNING id),
    old AS (SELECT id / ${IDS_PER_DAY} AS day, count(*) AS records FROM deleted GROUP BY 1),
    counted AS (
      UPDATE log_days SET records = log_days.records - old.records FROM old WHERE log_days.day = old.day
    ) SELECT CAST(coalesce(sum(records), 0) AS bigint) AS deleted FROM old`
}

const DELETE_OWNED = deletion('execution_id = ANY (?) OR trace_id = ANY (?)')
const DELETE_EXPIRED = deletion('id IN (SELECT id FROM logs WHERE id < ? ORDER BY id LIMIT ?)')
const DELETE_OLDEST = deletion('id IN (SELECT id FROM logs ORDER BY id LIMIT ?)')

interface Deleted {
  readonly deleted: number
}

/** Log records in Postgres. */
export function postgresLogs(deps: TelemetryDeps): LogStore {
  const { database, sql, ownerEpoch } = deps
  const partitions = new DayPartitions({ database, table: 'logs', days: 'log_days', keysPerDay: IDS_PER_DAY })
  const writer = new PostgresLogWriter(database, ownerEpoch, partitions)
  const tail = new RemoteTail<TailedLog>(deps, { newest: NEWEST, next: TAIL })
  const numberOf = async (text: string, params: readonly number[] = []) =>
    (await sql.first<{ number: number | null }>(text, params))?.number ?? 0
  return {
    list: new LogList(sql).read,
    insert: (rows) => writer.insert(rows),
    count: () => numberOf('SELECT CAST(sum(records) AS bigint) AS number FROM log_days'),
    newest: () => numberOf('SELECT max(id) AS number FROM logs WHERE owner_epoch = ?', [ownerEpoch]),
    prune: ({ before, keep }, limit) =>
      partitions.prune(sql, {
        before,
        counted: 'records',
        keep,
        *deleteSingle(surplus) {
          const [expired] = yield* tx.all<Deleted>(DELETE_EXPIRED, [before * IDS_PER_MS, limit])
          if ((expired && expired.deleted > 0) || surplus <= 0) return expired?.deleted ?? 0
          const [oldest] = yield* tx.all<Deleted>(DELETE_OLDEST, [Math.min(surplus, limit)])
          return oldest?.deleted ?? 0
        },
      }),
    delete: async ({ executionIds, traceIds }) => {
      const rows = await sql.transaction(() => tx.all<Deleted>(DELETE_OWNED, [executionIds, traceIds]))
      return rows[0]?.deleted ?? 0
    },
    follow: (listener) => tail.follow(listener),
  }
}
