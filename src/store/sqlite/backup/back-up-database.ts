import fs from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import { renameOver } from '../../../lib/files/rename-over.ts'
import { fileIdentity } from '../health/file-identity.ts'
import type { BackupContents } from './check-copy.ts'
import { draftOf, removeDraft, SIDE_FILES, syncToDisk } from './draft-file.ts'
import { newestRescueCopy } from './rescue-copy.ts'
import { runCopy } from './run-copy.ts'
import type { CopyProgress } from './run-copy.ts'

export interface BackupOptions {
  /** The database, which a server may use. */
  readonly database: string
  /** The file of the backup, absolute. */
  readonly file: string
  /** Replaces an existing file. */
  readonly force: boolean
  readonly onProgress?: (progress: CopyProgress) => void
  readonly signal?: AbortSignal
}

export interface Backup extends BackupContents {
  /** The file that was copied: the database, or the rescue copy of one that was deleted. */
  readonly source: string
  readonly bytes: number
}

/**
 * Writes a consistent copy of a database to a file, which appears when it is complete, checked and on disk. If the
 * database was deleted under its server, the newest rescue copy is copied, which that server has written.
 *
 * @throws AppError `invalid_input` if there is no database or the file can't be the target, `conflict` if it exists.
 */
export async function backUpDatabase(options: BackupOptions): Promise<Backup> {
  const { database, file, onProgress, signal } = options
  const source = fs.existsSync(database) ? database : (newestRescueCopy(database) ?? database)
  requireTarget(options, source)
  const draft = draftOf(file)
  try {
    removeDraft(draft)
    fs.closeSync(fs.openSync(draft, 'wx', 0o600))
    const contents = await runCopy({
      source,
      copy: draft,
      signal,
      ...(onProgress && { onProgress }),
    })
    syncToDisk(draft)
    requireTarget(options, source)
    const bytes = fs.statSync(draft).size
    renameOver(draft, file)
    syncToDisk(path.dirname(file))
    return { ...contents, bytes, source }
  } finally {
    removeDraft(draft)
  }
}

function requireTarget({ database, file, force }: BackupOptions, source: string): void {
  if (!fs.existsSync(source))
    throw new AppError('invalid_input', `The database ${database} does not exist`, {
      hint: 'Start the server once, or pass another database: --from file:<path>. A server whose database was deleted writes a rescue copy beside it within seconds',
    })
  const used = [database, source]
    .flatMap((one) => ['', '-lock', ...SIDE_FILES].map((suffix) => `${one}${suffix}`))
    .map((one) => fileIdentity(one))
  const present = fileIdentity(file)
  if (present !== undefined && used.includes(present))
    throw new AppError('invalid_input', `${file} is a file of the database itself`, {
      hint: 'Pass the path of another file',
    })
  const directory = path.dirname(file)
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError('invalid_input', `The directory ${directory} does not exist`, {
      hint: 'Create it first',
    })
  if (present === undefined) return
  if (fs.statSync(file).isDirectory())
    throw new AppError('invalid_input', `${file} is a directory`, { hint: 'Pass the path of a file in it' })
  if (!force)
    throw new AppError('conflict', `${file} exists`, { hint: 'Pass --force to replace it, or another path' })
}
