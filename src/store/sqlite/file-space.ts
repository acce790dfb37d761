import type { Database } from './driver.ts'

/** What one turn gives back: it moves up to 256 pages, which takes a few milliseconds. */
const BYTES_AT_ONCE = 1024 * 1024
/** Free space that the next records use. A file that is shrunk to its records would grow again at once. */
const MIN_KEPT_BYTES = 16 * 1024 * 1024
const KEPT_SHARE = 0.1

/** Gives space that deleted records have left at the end of the file back to the file system. Returns the bytes. */
export function giveSpaceBack(database: Database): number {
  const { pageBytes, pages, free } = sizeOf(database)
  const kept = Math.max(MIN_KEPT_BYTES, pages * pageBytes * KEPT_SHARE)
  const surplus = Math.floor((free * pageBytes - kept) / pageBytes)
  if (surplus <= 0) return 0
  database.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, BYTES_AT_ONCE / pageBytes)})`)
  return (free - sizeOf(database).free) * pageBytes
}

/** Makes a new database one that can give space back. To be called before anything is stored in it. */
export function prepareToGiveBack(database: Database): void {
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
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
