import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'dotenv'
import { AppError } from '../lib/errors.ts'

export interface EnvChange {
  readonly key: string
  /** The key was added, has another value, or is gone. Values are never told. */
  readonly kind: '+' | '~' | '-'
}

export interface EnvFilesOptions {
  readonly root: string
  /** `development` or `production`, or any other: it names `.env.<mode>`. */
  readonly mode: string
  /** The environment that is read and written: `process.env` unless given. */
  readonly env?: NodeJS.ProcessEnv
}

/** Keeps the environment in step with the project's `.env` files. The shell's own variables win. */
export class EnvFiles {
  /** Absolute paths; later ones win. */
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

  /** Reads the files and brings the environment up to date. Returns what changed; throws `invalid_config`. */
  apply(): EnvChange[] {
    const wanted = this.#read()
    return [...this.#removeMissing(wanted), ...this.#write(wanted)]
  }

  /** Takes up what the files say of these variables, and of no others. */
  applyOnly(names: readonly string[]): void {
    this.#write(new Map([...this.#read()].filter(([key]) => names.includes(key))))
  }

  /** Whether a file is empty or gone that was not: it may be about to be written. */
  isUnfinished(): boolean {
    return [...this.#filled].some((file) => readIfPresent(file) === '')
  }

  /** Takes back every variable it set. */
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
    const gone = [...this.#set].filter(([key]) => !wanted.has(key))
    return gone.map(([key, value]) => {
      // whoever changed the variable since then owns it
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

/** Windows knows `Path` and `PATH` as one variable. */
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
      hint: `Make ${name} a readable file.`,
    })
  }
}
