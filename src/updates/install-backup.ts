import fs from 'node:fs'
import path from 'node:path'
import { DATA_DIRECTORY } from '../lib/files/private-files.ts'
import { replaceFile } from '../lib/files/replace-file.ts'

interface Entry {
  /** Relative to the project. */
  readonly file: string
  /** The file's content as Base64; null if the file did not exist. */
  readonly content: string | null
}

const FILE = path.join(DATA_DIRECTORY, 'install-backup.json')

/**
 * A copy of the files that an installation may change. It is stored on disk during the installation, so that a killed
 * installation can be undone later.
 */
export class InstallBackup {
  readonly #directory: string
  readonly #file: string

  constructor(directory: string) {
    this.#directory = directory
    this.#file = path.join(directory, FILE)
  }

  /** Whether a backup exists: an installation is running or was killed. */
  get exists(): boolean {
    return fs.existsSync(this.#file)
  }

  /** Stores the content of files, given by absolute paths. */
  take(files: readonly string[]): void {
    const entries = files.map((file): Entry => {
      const content = readIfPresent(file)?.toString('base64') ?? null
      return { file: path.relative(this.#directory, file), content }
    })
    fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
    replaceFile({ file: this.#file, bytes: Buffer.from(JSON.stringify(entries)), mode: 0o600 })
  }

  /** Restores the files and deletes the backup. Does nothing without a backup. */
  restore(): void {
    this.#restore(() => true)
  }

  /** Restores the files after a killed installation. Files edited after `maxInstallMs` are kept, as the user's work. */
  restoreAfterKill(maxInstallMs: number): void {
    const takenAt = fs.statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    this.#restore((file) => {
      const editedAt = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
      return editedAt === undefined || editedAt <= takenAt + maxInstallMs
    })
  }

  discard(): void {
    fs.rmSync(this.#file, { force: true })
  }

  #restore(shouldRestore: (file: string) => boolean): void {
    const text = readIfPresent(this.#file)
    if (text === undefined) return
    for (const { file, content } of JSON.parse(text.toString()) as Entry[]) {
      const target = path.resolve(this.#directory, file)
      if (shouldRestore(target)) restoreFile(target, content)
    }
    this.discard()
  }
}

function restoreFile(file: string, content: string | null): void {
  if (content === null) return fs.rmSync(file, { force: true })
  const bytes = Buffer.from(content, 'base64')
  const now = readIfPresent(file)
  if (now?.equals(bytes)) return
  replaceFile({ file: now ? fs.realpathSync(file) : file, bytes, mode: 0o644 })
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
