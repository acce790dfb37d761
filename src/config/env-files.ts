import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'dotenv'
import { AppError } from '../lib/errors.ts'

export interface EnvChange {
  readonly key: string
  /** Added, changed or removed. Values are never reported. */
  readonly kind: '+' | '~' | '-'
}

export interface EnvFilesOptions {
  readonly root: string
  /** Selects `.env.<mode>`, usually `development` or `production`. */
  readonly mode: string
  /** The environment to update. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv
}

/** Sets environment variables from the project's `.env` files. Variables of the shell take precedence. */
export class EnvFiles {
  /** Absolute paths. Later files override earlier ones. */
  readonly paths: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  readonly #fromShell: ReadonlySet<string>
  readonly #set = new Map<string, string>()
  readonly #filled = new Set<string>()

  constructor({ root, mode, env = process.env }: EnvFilesOptions) {
    this.paths = ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`].map((name) =>
      path.join(root, name),
    )
    this.#env = env
    this.#fromShell = new Set(Object.keys(env).map(comparable))
  }

  /** Reads the files and updates the environment. Returns the changes. Throws `invalid_config`. */
  apply(): EnvChange[] {
    const wanted = this.#read()
    return [...this.#removeMissing(wanted), ...this.#write(wanted)]
  }

  /** Updates only these variables from the files. */
  applyOnly(names: readonly string[]): void {
    this.#write(new Map([...this.#read()].filter(([key]) => names.includes(key))))
  }

  /** Whether a file became empty or was removed, possibly in the middle of a save. */
  isUnfinished(): boolean {
    return [...this.#filled].some((file) => readIfPresent(file) === '')
  }

  /** Removes all variables that it set. */
  restore(): void {
    this.#removeMissing(new Map())
  }

  #read(): Map<string, string> {
    const wanted = new Map<string, string>()
    for (const file of this.paths) {
      const text = readIfPresent(file)
      if (text === '') this.#filled.delete(file)
      else this.#filled.add(file)
      for (const [key, value] of Object.entries(parse(text))) {
        if (!this.#fromShell.has(comparable(key))) wanted.set(key, value)
      }
    }
    return wanted
  }

  #removeMissing(wanted: ReadonlyMap<string, string>): EnvChange[] {
    const removed = [...this.#set].filter(([key]) => !wanted.has(key))
    return removed.map(([key, value]) => {
      // user code may have changed the variable since then
      if (this.#env[key] === value) Reflect.deleteProperty(this.#env, key)
      this.#set.delete(key)
      return { key, kind: '-' }
    })
  }

  #write(wanted: ReadonlyMap<string, string>): EnvChange[] {
    const different = [...wanted].filter(
      ([key, value]) => this.#set.get(key) !== value || this.#env[key] !== value,
    )
    return different.map(([key, value]) => {
      const kind = this.#set.has(key) ? '~' : '+'
      this.#env[key] = value
      this.#set.set(key, value)
      return { key, kind }
    })
  }
}

/** Variable names are case-insensitive on Windows. */
function comparable(key: string): string {
  return process.platform === 'win32' ? key.toUpperCase() : key
}

function readIfPresent(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    const name = path.basename(file)
    throw new AppError('invalid_config', `Cannot read ${name}`, {
      cause: error,
      hint: `Check that ${name} is a file and readable.`,
    })
  }
}
