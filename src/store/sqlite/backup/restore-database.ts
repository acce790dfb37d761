import fs from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import { renameOver } from '../../../lib/files/rename-over.ts'
import { openDatabase, preferredDriver } from '../driver.ts'
import { lockDatabase, lockFileOf } from '../file-lock.ts'
import { databaseError } from '../health/database-error.ts'
import { fileIdentity } from '../health/file-identity.ts'
import type { BackupContents } from './check-copy.ts'
import { draftOf, removeDraft, SIDE_FILES, syncToDisk } from './draft-file.ts'
import { runCopy } from './run-copy.ts'
import type { CopyProgress } from './run-copy.ts'

export interface RestoreOptions {
  readonly file: string
  /** The database to replace, which no server uses. */
  readonly database: string
  readonly onProgress?: (progress: CopyProgress) => void
  readonly signal?: AbortSignal
}

export interface Restored extends BackupContents {
  /** Where the database is that was there before; `undefined` if there was none. */
  readonly previous: string | undefined
}

/**
 * Replaces a database with a copy of a backup. The database of before keeps its content under another name. At each
 * instant, the database is the one of before or the restored one.
 *
 * @throws AppError `database_locked` if a server uses it, `invalid_input` if the backup is not usable.
 */
export async function restoreDatabase({ file, database, ...rest }: RestoreOptions): Promise<Restored> {
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new AppError('invalid_input', `The backup ${file} does not exist`)
  if (fileIdentity(file) === fileIdentity(database))
    throw new AppError('invalid_input', `${file} is the database itself`, {
      hint: 'Pass the path of a backup',
    })
  const lock = lockDatabase(database, preferredDriver())
  const place = fs.existsSync(database) ? fs.realpathSync(database) : database
  const draft = draftOf(place)
  try {
    await copyBackup(file, draft)
    const contents = await runCopy({ copy: draft, ...rest }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      const { hint } = error
      throw new AppError('invalid_input', `${file} cannot be restored: ${error.message}`, {
        cause: error,
        ...(hint !== undefined && { hint }),
      })
    })
    giveToOwner([draft, lockFileOf(database)], fs.existsSync(place) ? place : path.dirname(place))
    syncToDisk(draft)
    const previous = setAside(place)
    renameOver(draft, place)
    syncToDisk(path.dirname(place))
    return { ...contents, previous }
  } finally {
    removeDraft(draft)
    lock.release()
  }
}

/** Copies a file, and the WAL of one that was copied by hand. */
async function copyBackup(file: string, draft: string): Promise<void> {
  removeDraft(draft)
  for (const suffix of ['', '-wal']) {
    if (!fs.existsSync(`${file}${suffix}`)) continue
    await copyFile(`${file}${suffix}`, `${draft}${suffix}`)
    fs.chmodSync(`${draft}${suffix}`, 0o600)
  }
}

/** Run as root: the files belong to the user of the server. */
function giveToOwner(files: readonly string[], like: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = fs.statSync(like)
  for (const file of files) fs.chownSync(file, uid, gid)
}

/** Gives a database a second name, and takes its WAL in or away: it would damage the next database of that name. */
function setAside(file: string): string | undefined {
  const previous = `${file}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const existed = fs.existsSync(file)
  if (existed) {
    removeUnusedNames(file)
    takeInWal(file)
    addName(file, previous)
  }
  // those of a damaged or missing database
  for (const suffix of SIDE_FILES)
    if (fs.existsSync(`${file}${suffix}`)) fs.renameSync(`${file}${suffix}`, `${previous}${suffix}`)
  syncToDisk(path.dirname(file))
  return existed ? previous : undefined
}

/** Second names of this database are of a restore that was killed. */
function removeUnusedNames(file: string): void {
  const directory = path.dirname(file)
  const identity = fileIdentity(file)
  for (const name of fs.readdirSync(directory)) {
    const other = path.join(directory, name)
    if (name.startsWith(`${path.basename(file)}.before-restore-`) && fileIdentity(other) === identity)
      fs.rmSync(other)
  }
}

/** @throws AppError `unavailable` if another program reads the database. A damaged one stays as it is. */
function takeInWal(file: string): void {
  const database = openDatabase(file)
  try {
    database.exec('PRAGMA busy_timeout = 2000; PRAGMA journal_mode = DELETE')
  } catch (error) {
    const unusable = databaseError(error, `The database ${file}`)
    if (!unusable) throw error
    if (!/damaged|not a SQLite/.test(unusable.message)) throw unusable
  } finally {
    database.close()
  }
}

function addName(file: string, name: string): void {
  try {
    fs.linkSync(file, name)
  } catch (error) {
    if (!/^(?:EPERM|ENOTSUP|ENOSYS|EOPNOTSUPP|EMLINK)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw error
    // a file system without hard links
    fs.copyFileSync(file, name)
    syncToDisk(name)
  }
}
