import fs from 'node:fs'
import path from 'node:path'
import { replaceFile } from '../lib/files/replace-file.ts'

interface Entry {
  /** Relative to the project. */
  readonly file: string
  /** Base64 of what was in it; null when it was not there. */
  readonly content: string | null
}

const FILE = path.join('.agentserver', 'install-backup.json')

/**
 * What an installation may change, as it was before. It lies on disk while the installation runs, so that one
 * that was killed can be undone later.
 */
export class InstallBackup {
  readonly #directory: string
  readonly #file: string

  constructor(directory: string) {
    this.#directory = directory
    this.#file = path.join(directory, FILE)
  }

  /** Whether files are remembered: an installation runs, or was killed. */
  get exists(): boolean {
    return fs.existsSync(this.#file)
  }

  /** Remembers files, given by absolute paths, as they are. */
  take(files: readonly string[]): void {
    const entries = files.map((file): Entry => {
      const content = readIfPresent(file)?.toString('base64') ?? null
      return { file: path.relative(this.#directory, file), content }
    })
    fs.mkdirSync(path.dirname(this.#file), { recursive: true })
    replaceFile({ file: this.#file, bytes: Buffer.from(JSON.stringify(entries)), mode: 0o600 })
  }

  /** Puts the files back, byte for byte, and forgets them. Nothing happens where none are remembered. */
  restore(): void {
    this.#restore(() => true)
  }

  /** The same after a while: what was edited longer after than an installation may take is the user's work. */
  restoreAfterKill(longestMs: number): void {
    const takenAt = fs.statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    this.#restore((file) => {
      const editedAt = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
      return editedAt === undefined || editedAt <= takenAt + longestMs
    })
  }

  discard(): void {
    fs.rmSync(this.#file, { force: true })
  }

  #restore(isWanted: (file: string) => boolean): void {
    const text = readIfPresent(this.#file)
    if (text === undefined) return
    for (const { file, content } of JSON.parse(text.toString()) as Entry[]) {
      const target = path.resolve(this.#directory, file)
      if (isWanted(target)) putBack(target, content)
    }
    this.discard()
  }
}

function putBack(file: string, content: string | null): void {
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
