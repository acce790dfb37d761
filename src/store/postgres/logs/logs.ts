import type { LogStore } from '../../log-store.ts'
import { LogList } from '../../sql/log-list.ts'
import type { Sql } from '../../sql/sql.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { DayPartitions } from '../telemetry/day-partitions.ts'
import { RemoteTail } from '../telemetry/remote-tail.ts'
import { PostgresLogPruner } from './log-pruner.ts'
import { PostgresLogReader } from './log-reader.ts'
import { IDS_PER_DAY, PostgresLogWriter } from './log-writer.ts'

export interface PostgresLogDeps {
  readonly database: PostgresDatabase
  readonly sql: Sql
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
}

/** Log records in Postgres. */
export function postgresLogs({ database, sql, ownerEpoch, aliveEpochs }: PostgresLogDeps): LogStore {
  const partitions = new DayPartitions({ database, table: 'logs', days: 'log_days', keysPerDay: IDS_PER_DAY })
  const writer = new PostgresLogWriter(database, ownerEpoch, partitions)
  const reader = new PostgresLogReader(sql, ownerEpoch)
  const pruner = new PostgresLogPruner(database, partitions)
  const tail = new RemoteTail({
    ownerEpoch,
    aliveEpochs,
    newest: () => reader.newestOfAll(),
    read: (after) => reader.after(after),
  })
  return {
    insert: (rows) => writer.insert(rows),
    list: new LogList(sql).read,
    count: () => reader.count(),
    newest: () => reader.newest(),
    prune: (retention, limit) => pruner.prune(retention, limit),
    delete: (owners) => pruner.deleteOf(owners),
    follow: (listener) => tail.follow(listener),
  }
}
