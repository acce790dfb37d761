import fs from 'node:fs'
import path from 'node:path'
import type { Case } from '../../contract/evals/case.ts'
import { AppError } from '../../lib/errors.ts'
import { isInside } from '../../lib/files/is-inside.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'

export interface WriteCaseOptions {
  /** The project's directory. */
  readonly root: string
  /** Path of the file, relative to the project, as `CasePath` describes it. */
  readonly file: string
  readonly overwrite: boolean
}

/**
 * Writes a case file.
 *
 * @throws AppError `conflict` when the file exists and must not be overwritten, is not a regular file in the project, or
 *   can't be written.
 */
export function writeCase(content: Case, { root, file, overwrite }: WriteCaseOptions): void {
  const target = realCaseFile(root, file)
  const stats = fs.statSync(target, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) throw conflict(file, 'is not a regular file')
  if (stats && !overwrite) throw caseExists(file)
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true })
    replaceFile({ file: target, bytes: Buffer.from(caseText(content)), mode: 0o644 })
  } catch (error) {
    throw notWritable(file, error)
  }
}

const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'])

/** The error for a file or folder that can't be written; other errors are returned as they are. */
export function notWritable(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && UNWRITABLE.has(code)
    ? conflict(file, `can't be written (${code})`, error)
    : error
}

/** The text of a case file. */
export function caseText(content: Case): string {
  return `${JSON.stringify(content, null, 2)}\n`
}

/** Whether there is anything at the path of a case file. */
export function hasCaseFile(root: string, file: string): boolean {
  return fs.lstatSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined
}

/** The error for a case file that must not be overwritten. */
export function caseExists(file: string): AppError {
  return conflict(file, 'exists')
}

/**
 * The real path of a case file, which may not exist. Symbolic links may lead to other places of the project.
 *
 * @throws AppError `conflict` for a link that leads elsewhere.
 */
export function realCaseFile(root: string, file: string): string {
  const project = fs.realpathSync(root)
  let at = project
  for (const name of file.split('/')) {
    at = path.join(at, name)
    if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue
    const target = fs.existsSync(at) ? fs.realpathSync(at) : undefined
    if (target === undefined || !isInside(project, target))
      throw conflict(file, `: ${path.relative(project, at)} is a symbolic link out of the project`)
    at = target
  }
  return at
}

function conflict(file: string, why: string, cause?: unknown): AppError {
  return new AppError('conflict', `${file}${why.startsWith(':') ? '' : ' '}${why}`, { cause })
}
