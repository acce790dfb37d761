import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'dotenv'
import { delay, systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { DATA_DIRECTORY } from '../../lib/files/private-files.ts'
import { isInside } from '../../lib/files/is-inside.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import { takeFileLock } from '../../store/sqlite/file-lock.ts'
import type { FileLock } from '../../store/sqlite/file-lock.ts'
import { setEnvVariables } from './env-text.ts'

/** The file with the variables, relative to the project. */
export const ENV_FILE = '.env'

const LOCK_FILE = path.join(DATA_DIRECTORY, 'env-lock')
/** Writing takes milliseconds; the operating system releases the lock of a process that died. */
const MAX_WAIT_MS = 10_000
const RETRY_MS = 10

/**
 * Sets variables in the project's `.env`, one writer at a time. The file is replaced atomically. A new file can be
 * read by its owner only.
 *
 * @throws AppError `conflict` when `.env` is not a regular file in the project, can't be written, or is locked by
 * another process for more than 10 seconds.
 */
export async function writeEnvFile(root: string, variables: ReadonlyMap<string, string>): Promise<void> {
  const lock = await waitForLock(root)
  try {
    const file = realFile(root)
    const bytes = readBytes(file)
    const changed = setEnvVariables(bytes, variables)
    if (!changed.equals(bytes)) replaceFile({ file, bytes: changed, mode: 0o600 })
  } catch (error) {
    throw writeError(error)
  } finally {
    lock.release()
  }
}

/** The names of the variables in the project's `.env`; empty if the file can't be read. */
export function envFileKeys(root: string): ReadonlySet<string> {
  try {
    return new Set(Object.keys(parse(readBytes(realFile(root)))))
  } catch (error) {
    // writing the file reports the reason
    if (writeError(error) instanceof AppError) return new Set()
    throw error
  }
}

async function waitForLock(root: string): Promise<FileLock> {
  const file = path.join(root, LOCK_FILE)
  const giveUpAt = systemClock.now() + MAX_WAIT_MS
  const { signal } = new AbortController()
  for (;;) {
    const lock = take(file)
    if (lock) return lock
    if (systemClock.now() > giveUpAt) throw conflict('is being written by another process')
    await delay(RETRY_MS, signal)
  }
}

function take(file: string): FileLock | undefined {
  try {
    return takeFileLock(file)
  } catch (error) {
    throw writeError(error)
  }
}

/** The real path of `.env`, which may be a symbolic link within the project. */
function realFile(root: string): string {
  const file = path.join(fs.realpathSync(root), ENV_FILE)
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return file
  const target = stats.isSymbolicLink() ? linkTarget(file) : file
  const { mode } = requireRegular(target)
  if ((mode & 0o222) === 0) throw conflict('is read-only')
  return target
}

function linkTarget(file: string): string {
  if (!fs.existsSync(file)) throw conflict('is a symbolic link to a file that does not exist')
  const target = fs.realpathSync(file)
  if (isInside(path.dirname(file), target)) return target
  throw conflict('is a symbolic link to a file outside the project')
}

function requireRegular(file: string): fs.Stats {
  const stats = fs.statSync(file)
  if (stats.isFile()) return stats
  throw conflict(stats.isDirectory() ? 'is a directory' : 'is not a regular file')
}

function readBytes(file: string): Buffer {
  if (!fs.existsSync(file)) return Buffer.alloc(0)
  // non-blocking: the file may have been replaced by a pipe, which would block the read
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
  try {
    if (!fs.fstatSync(descriptor).isFile()) throw conflict('is not a regular file')
    return fs.readFileSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

function conflict(why: string, cause?: unknown): AppError {
  return new AppError('conflict', `${ENV_FILE} ${why}`, { hint: 'Nothing was written.', cause })
}

const NOT_ALLOWED = new Set(['EACCES', 'EPERM', 'EROFS'])

function writeError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AppError || code === undefined) return error
  if (NOT_ALLOWED.has(code)) return conflict(`cannot be written (${code})`, error)
  return new AppError('internal', `${ENV_FILE} could not be written (${code})`, {
    cause: error,
    hint: 'The file was not changed.',
  })
}
