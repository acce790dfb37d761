import fs from 'node:fs'

/** The last read content of each file, to compare after file events. */
export class SeenSources {
  readonly #sources = new Map<string, string | undefined>()

  /** Reads a file and stores its content. Undefined if it does not exist. */
  read(file: string): string | undefined {
    const source = readSource(file)
    this.#sources.set(file, source)
    return source
  }

  has(file: string): boolean {
    return this.#sources.has(file)
  }

  get(file: string): string | undefined {
    return this.#sources.get(file)
  }

  /** Whether the content of a file differs from the last read. */
  isChanged(file: string): boolean {
    return this.#sources.has(file) && this.#sources.get(file) !== readSource(file)
  }

  /** Whether a file became empty or was removed, possibly in the middle of a save. */
  isUnfinished(file: string): boolean {
    return Boolean(this.#sources.get(file)) && !readSource(file)
  }

  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#sources.keys()) if (!files.has(file)) this.#sources.delete(file)
  }
}

/** The text of a file without a byte order mark. Undefined if it does not exist. */
export function readSource(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
