import { spawn } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { REPOSITORY } from '../bench/project.ts'
import type { Fault } from './plan.ts'

export interface SurroundingsOptions {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  /** The ids of executions that a backup which begins now has to have. */
  readonly acknowledged: () => readonly string[]
  /** Breaks the connections to the database, and refuses others until the returned function is called. Postgres only. */
  readonly cut?: (() => () => void) | undefined
  /** Whether the server has started: a start that loses its database ends, as documented. */
  readonly isReady: () => Promise<boolean>
  /** The checkout whose commands are run. Default: this one. */
  readonly repository?: string | undefined
}

interface Backup {
  readonly file: string
  /** What was acknowledged before it began. */
  readonly ids: readonly string[]
}

/** What happens around the process of the server: to its database file, its connections, and by other commands. */
export class Surroundings {
  readonly #options: SurroundingsOptions
  readonly #complete: Backup[] = []
  /** What did not hold, one line each. */
  readonly violations: string[] = []
  /** How often each command has ended by itself, or was killed. */
  readonly counts = { ended: 0, killed: 0 }
  #backups = 0

  constructor(options: SurroundingsOptions) {
    this.#options = options
  }

  /** Lets a fault happen, until the signal at the latest. Those of the other store are left out. */
  async surround(fault: Fault, signal: AbortSignal): Promise<void> {
    if (fault.kind === 'cut') await this.#cut(fault.forMs, signal)
    if (this.#isOnPostgres) return
    if (fault.kind === 'missing') await this.#moveAway(fault.forMs, signal)
    if (fault.kind === 'backup') await this.backUp(fault.killedAfterMs)
  }

  /** Backs the database up while no server runs, and restores it: what it holds is the same then, whenever that is killed. */
  async restore(killedAfterMs: number): Promise<void> {
    if (this.#isOnPostgres || !existsSync(this.#database)) return
    const file = await this.backUp(undefined)
    if (file !== undefined) await this.#run(['restore', file], killedAfterMs)
  }

  /** Backs the database up, and returns the file; `undefined` if it was killed before. */
  async backUp(killedAfterMs: number | undefined): Promise<string | undefined> {
    const file = path.join(this.#options.root, `backup-${++this.#backups}.db`)
    const ids = this.#options.acknowledged()
    const exitCode = await this.#run(['backup', file], killedAfterMs)
    if (exitCode === 0 && !existsSync(file)) this.violations.push(`${file}: a backup that is missing`)
    if (!existsSync(file)) return undefined
    // also that of a command that was killed: a file of this name is complete
    this.#complete.push({ file, ids })
    return file
  }

  /** Executions that backups lack. `isDeleted`: whether retention may have deleted some. */
  lost({ isDeleted }: { readonly isDeleted: boolean }): string[] {
    return this.#complete.flatMap(({ file, ids }) => {
      const name = path.basename(file)
      try {
        const database = openDatabase(file)
        try {
          const rows = database.prepare('SELECT id FROM executions').all() as { id: string }[]
          const there = new Set(rows.map(({ id }) => id))
          return isDeleted ? [] : ids.filter((id) => !there.has(id)).map((id) => `${id}: not in ${name}`)
        } finally {
          database.close()
        }
      } catch (error) {
        return [`${name}: ${String(error)}`]
      }
    })
  }

  get #isOnPostgres(): boolean {
    return this.#options.cut !== undefined
  }

  get #database(): string {
    return path.join(this.#options.root, '.agentserver/data.db')
  }

  async #cut(forMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#options.isReady())) await wait(20)
    if (signal.aborted) return
    const mend = this.#options.cut?.()
    await wait(forMs, undefined, { signal }).catch(() => undefined)
    mend?.()
  }

  async #moveAway(forMs: number, signal: AbortSignal): Promise<void> {
    if (!existsSync(this.#database)) return
    const away = `${this.#database}-away`
    renameSync(this.#database, away)
    await wait(forMs, undefined, { signal }).catch(() => undefined)
    renameSync(away, this.#database)
  }

  /** Runs a command, and kills it after `killedAfterMs`. Returns its exit code; `null`: it was killed. */
  async #run(args: readonly string[], killedAfterMs: number | undefined): Promise<number | null> {
    const { root, env, repository = REPOSITORY } = this.#options
    const child = spawn(process.execPath, [path.join(repository, 'bin/agentserver.js'), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: 'ignore',
      timeout: killedAfterMs,
      killSignal: 'SIGKILL',
    })
    const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    this.counts[exitCode === null ? 'killed' : 'ended']++
    return exitCode
  }
}
