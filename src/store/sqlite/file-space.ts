import { performance } from 'node:perf_hooks'
import { byteSize } from '../../lib/byte-size.ts'
import type { StoreLogger } from '../store-logger.ts'
import type { Database } from './driver.ts'
import { databaseError } from './health/database-error.ts'

/** What one turn gives back: it moves up to 256 pages, which takes a few milliseconds. */
const BYTES_AT_ONCE = 1024 * 1024
/** Free space that the next records use. A file that is shrunk to its records would grow again at once. */
const MIN_KEPT_BYTES = 16 * 1024 * 1024
const KEPT_SHARE = 0.1
/** What is rewritten at a start, in a few seconds; more than that would keep the server from its work. */
const MAX_REWRITTEN_BYTES = 256 * 1024 * 1024

/** Gives space that deleted records have left at the end of the file back to the file system. Returns the bytes. */
export function giveSpaceBack(database: Database): number {
  const { pageBytes, pages, free } = sizeOf(database)
  const kept = Math.max(MIN_KEPT_BYTES, pages * pageBytes * KEPT_SHARE)
  const surplus = Math.floor((free * pageBytes - kept) / pageBytes)
  if (surplus <= 0) return 0
  database.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, BYTES_AT_ONCE / pageBytes)})`)
  // none in a database that keeps its space
  return (free - sizeOf(database).free) * pageBytes
}

/** Makes a new database one that can give space back. To be called before anything is stored in it. */
export function prepareToGiveBack(database: Database): void {
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
}

/** Whether the space of deleted records can be given back. Databases of the first releases keep it. */
export function givesSpaceBack(database: Database): boolean {
  const { auto_vacuum: mode } = database.prepare('PRAGMA auto_vacuum').get() as { auto_vacuum: number }
  return mode === 2
}

/** Rewrites a database, without the space of deleted records, as one that gives it back. */
export function rewrite(database: Database): void {
  prepareToGiveBack(database)
  database.exec('VACUUM')
}

/** The same at the start of a server, if the records are few enough. A full disk, or another program, leaves it as it is. */
export function rewriteOnce(database: Database, file: string, logger: StoreLogger): void {
  if (givesSpaceBack(database)) return
  const before = sizeOf(database)
  const size = byteSize(before.pages * before.pageBytes)
  if ((before.pages - before.free) * before.pageBytes > MAX_REWRITTEN_BYTES)
    return logger.info(
      `The database ${file} (${size}) keeps the space of deleted records for new ones. To have it given back, stop the server and run \`agentserver backup copy.db\` and \`agentserver restore copy.db\``,
    )
  logger.info(
    `Rewriting the database ${file} once, so that it gives the space of deleted records back: ${size}, of which ${byteSize(before.free * before.pageBytes)} are free`,
  )
  const startedAt = performance.now()
  try {
    rewrite(database)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    const unusable = databaseError(error, `The database ${file}`)
    if (!unusable) throw error
    return logger.warn(`Not rewritten: ${unusable.message}. The next start tries again`)
  }
  const { pages, pageBytes } = sizeOf(database)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  logger.info(`Rewrote the database in ${seconds} s: it has ${byteSize(pages * pageBytes)} now`)
}

interface FileSize {
  readonly pageBytes: number
  readonly pages: number
  readonly free: number
}

function sizeOf(database: Database): FileSize {
  return database
    .prepare(
      `SELECT page_size AS pageBytes, page_count AS pages, freelist_count AS free
       FROM pragma_page_size, pragma_page_count, pragma_freelist_count`,
    )
    .get() as FileSize
}
