import fs from 'node:fs'
import path from 'node:path'

/** The directory of a project's data: executions, prompts, locks, and the address of the running server. */
export const DATA_DIRECTORY = '.agentserver'

const OTHERS = 0o077

/**
 * Creates a file and its directory, readable by this user only. An existing file is left as it is. Does nothing where
 * it is not allowed to: whoever opens the file reports why.
 */
export function createPrivateFile(file: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    // exclusive: closing a file that is open elsewhere in this process would release the locks of SQLite on it
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

/**
 * Makes a project's data directory and the files in it readable by this user only. Other directories stay as they are,
 * and what belongs to another user: `doctor` reports it.
 */
export function makePrivate(directory: string): void {
  if (path.basename(directory) !== DATA_DIRECTORY) return
  for (const { file, isDirectory } of exposedFiles(directory)) {
    try {
      fs.chmodSync(file, isDirectory ? 0o700 : 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
    }
  }
}

export interface ExposedFile {
  readonly file: string
  readonly isDirectory: boolean
  /** The permission bits. */
  readonly mode: number
}

/** The directory, if it exists, and the files in it, as far as other users have permissions. None on Windows. */
export function exposedFiles(directory: string): ExposedFile[] {
  if (process.platform === 'win32' || !fs.existsSync(directory)) return []
  const files = fs.readdirSync(directory).map((name) => path.join(directory, name))
  return [directory, ...files].flatMap((file) => {
    const isDirectory = file === directory
    // a file may be deleted in the meantime; the target of a link in the directory is not ours
    const stats = (isDirectory ? fs.statSync : fs.lstatSync)(file, { throwIfNoEntry: false })
    if (!stats || !(isDirectory || stats.isFile()) || (stats.mode & OTHERS) === 0) return []
    return [{ file, isDirectory, mode: stats.mode & 0o777 }]
  })
}
