import fs from 'node:fs'

export interface FilePollerOptions {
  readonly everyMs: number
  readonly onPath: (file: string) => void
}

/** Watches files by polling, for file systems without change events. */
export class FilePoller {
  readonly #timer: NodeJS.Timeout
  readonly #states = new Map<string, string>()

  constructor({ everyMs, onPath }: FilePollerOptions) {
    this.#timer = setInterval(() => {
      for (const [file, known] of this.#states) {
        const state = stateOf(file)
        if (state === known) continue
        this.#states.set(file, state)
        onPath(file)
      }
    }, everyMs)
  }

  /** Sets the watched files. */
  watch(files: ReadonlySet<string>): void {
    for (const file of this.#states.keys()) if (!files.has(file)) this.#states.delete(file)
    for (const file of files) if (!this.#states.has(file)) this.#states.set(file, stateOf(file))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

function stateOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'absent' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`
}
