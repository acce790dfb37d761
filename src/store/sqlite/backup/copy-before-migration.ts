import fs from 'node:fs'
import path from 'node:path'
import { byteSize } from '../../../lib/byte-size.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { AppError, messageOf } from '../../../lib/errors.ts'
import { createPrivateFile } from '../../../lib/files/private-files.ts'
import { renameOver } from '../../../lib/files/rename-over.ts'
import type { Database } from '../driver.ts'
import { draftOf, removeDraft, syncToDisk } from './draft-file.ts'

/** Whoever upgrades knows by then whether the new release stays. */
const KEPT_MS = 7 * DAY_MS

/**
 * Copies a database to `<file>.before-<version>` before its schema is migrated from that version: the previous release
 * cannot read the migrated schema. An older copy of that name is replaced. Returns the path of the copy.
 *
 * @throws AppError `unavailable` when it cannot be written, so that nothing is migrated without it.
 */
export function copyBeforeMigration(database: Database, file: string, version: number): string {
  const draft = draftOf(file)
  const copy = `${file}.before-${version}`
  try {
    removeDraft(draft)
    createPrivateFile(draft)
    // includes what is in the WAL, and readers in other processes don't matter
    database.prepare('VACUUM INTO ?').run(draft)
    syncToDisk(draft)
    renameOver(draft, copy)
    syncToDisk(path.dirname(file))
    return copy
  } catch (cause) {
    const problem = `The database ${file} cannot be copied before its schema is migrated: ${messageOf(cause)}`
    throw new AppError('unavailable', problem, {
      cause,
      hint: `Nothing was changed. Free up to ${byteSize(fs.statSync(file).size)} in ${path.dirname(file)}, or allow the server to write ${copy}, and start again`,
    })
  } finally {
    removeDraft(draft)
  }
}

/** Deletes the copies of {@link copyBeforeMigration} that are older than a week. */
export function deleteOldCopies(file: string, now: number): void {
  const directory = path.dirname(file)
  const start = `${path.basename(file)}.before-`
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith(start) || !/^\d+$/.test(name.slice(start.length))) continue
    const copy = path.join(directory, name)
    if (fs.statSync(copy).mtimeMs < now - KEPT_MS) fs.rmSync(copy, { force: true })
  }
}
