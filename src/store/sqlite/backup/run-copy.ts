import { fork } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import { OWN_CODE } from '../../../lib/packages/own-package.ts'
import type { ErrorCode } from '../../../lib/errors.ts'
import type { BackupContents } from './check-copy.ts'

export interface CopyProgress {
  readonly phase: 'copying' | 'checking'
  /** Bytes that are written, about. */
  readonly bytes: number
  readonly total: number
}

/** A message of the process. */
export interface CopyReply {
  readonly phase?: 'checking'
  readonly contents?: BackupContents
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined }
}

export interface CopyOptions {
  /** The file to check. With `source` it is written first; it must be empty then. */
  readonly copy: string
  readonly source?: string
  readonly onProgress?: (progress: CopyProgress) => void
  /** Ends the process. */
  readonly signal?: AbortSignal | undefined
}

const PROGRESS_MS = 200

/**
 * Copies a database with SQLite's own means and checks the copy, in a process of low priority, which `signal` ends at
 * once.
 *
 * @throws AppError if the source can't be read, the copy can't be written, or is not usable.
 */
export async function runCopy({ copy, source, onProgress, signal }: CopyOptions): Promise<BackupContents> {
  const total = sizeOf(source ?? copy) + (source === undefined ? 0 : sizeOf(`${source}-wal`))
  let phase: CopyProgress['phase'] = source === undefined ? 'checking' : 'copying'
  let last: CopyReply = {}
  const program = path.join(OWN_CODE, 'store/sqlite/backup/copy-process.js')
  const child = fork(program, source === undefined ? [copy] : [copy, source], { execArgv: [] })
  if (child.pid !== undefined) lowerPriority(child.pid)
  const onAbort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', onAbort)
  const timer = setInterval(() => onProgress?.({ phase, bytes: sizeOf(copy), total }), PROGRESS_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: CopyReply) => {
        if (message.phase) phase = message.phase
        else last = message
      })
      child.on('error', reject)
      child.on('close', () => resolve())
    })
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', onAbort)
  }
  if (last.contents) return last.contents
  const {
    code = 'internal',
    message = 'The process that copies the database was ended',
    hint,
  } = last.error ?? {}
  throw new AppError(code, message, hint === undefined ? {} : { hint })
}

/** A server on the same machine goes first. */
function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL)
  } catch (error) {
    // it has ended, or the system does not allow it
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
