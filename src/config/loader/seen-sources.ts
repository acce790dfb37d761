import fs from 'node:fs'

/** What the loader last read of each file, so that events about files can be judged by content. */
export class SeenSources {
  readonly #sources = new Map<string, string | undefined>()

  /** Reads a file and remembers it. Undefined when there is nothing to read. */
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

  /** Whether a file that was read has another content by now. */
  isChanged(file: string): boolean {
    return this.#sources.has(file) && this.#sources.get(file) !== readSource(file)
  }

  /** Whether a file is empty or gone that was not: it may be about to be written. */
  isUnfinished(file: string): boolean {
    return Boolean(this.#sources.get(file)) && !readSource(file)
  }

  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#sources.keys()) if (!files.has(file)) this.#sources.delete(file)
  }
}

/** The text of a file, without a byte order mark; undefined when there is none to read. */
export function readSource(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
