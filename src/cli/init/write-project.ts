import fs from 'node:fs'
import path from 'node:path'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { PlannedFile, ProjectPlan } from './plan-project.ts'

/** The suffix of a replaced file until all files are written. */
const BACKUP_SUFFIX = '.agentserver-init-old'

/**
 * Writes a planned project. If a file can't be written, all changes are rolled back.
 *
 * @throws AppError `internal` if a file can't be written.
 */
export function writeProject({ directory, files }: ProjectPlan): void {
  const undo: (() => void)[] = []
  const finish: (() => void)[] = []
  try {
    makeDirectory(directory, undo)
    for (const file of files) writeFile(directory, file, { undo, finish })
  } catch (cause) {
    for (const step of undo.toReversed()) step()
    throw new AppError('internal', `Cannot write the project: ${messageOf(cause)}`, {
      cause,
      hint: 'All changes were rolled back.',
    })
  }
  for (const step of finish) step()
}

interface Steps {
  readonly undo: (() => void)[]
  readonly finish: (() => void)[]
}

function writeFile(
  directory: string,
  { name, bytes, replaces, secret = false }: PlannedFile,
  { undo, finish }: Steps,
): void {
  const file = path.join(directory, name)
  makeDirectory(path.dirname(file), undo)
  if (replaces) {
    const backup = file + BACKUP_SUFFIX
    fs.renameSync(file, backup)
    undo.push(() => fs.renameSync(backup, file))
    finish.push(() => fs.rmSync(backup))
  }
  // fails if the file was created since the plan was made, which must not be overwritten or removed
  const descriptor = fs.openSync(file, 'wx', secret ? 0o600 : 0o666)
  undo.push(() => fs.rmSync(file))
  try {
    fs.writeFileSync(descriptor, bytes)
  } finally {
    fs.closeSync(descriptor)
  }
}

function makeDirectory(directory: string, undo: (() => void)[]): void {
  const first = fs.mkdirSync(directory, { recursive: true })
  if (first !== undefined) undo.push(() => fs.rmSync(first, { recursive: true, force: true }))
}
