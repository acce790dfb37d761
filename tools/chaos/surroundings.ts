import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { REPOSITORY } from '../bench/project.ts'
import type { ChaosDatabase } from './chaos-database.ts'
import type { Fault } from './plan.ts'

export interface SurroundingsOptions {
  readonly root: string
  readonly database: ChaosDatabase
  /** The ids of executions that a backup which begins now has to have. */
  readonly acknowledged: () => readonly string[]
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
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: SurroundingsOptions) {
    this.#options = options
  }

  /** Lets a fault happen, until the signal at the latest. */
  async surround(fault: Fault, signal: AbortSignal): Promise<boolean> {
    if (fault.kind === 'cut') await this.#cut(fault.forMs, signal)
    if (fault.kind === 'restart') await this.#restart(fault.forMs, signal)
    if (fault.kind === 'missing') await this.#alone(() => this.#moveAway(fault.forMs, signal))
    if (fault.kind === 'replaced') await this.#alone(() => this.#replace(fault, signal))
    if (fault.kind !== 'backup') return false
    return this.#alone(() => this.backUp(fault.killedAfterMs)).then(() => true)
  }

  /** What happens to the file of the database happens one after the other: a backup of another file is another fault. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Backs the database up while no server runs, and restores it: what it holds is the same then, whenever that is killed. */
  async restore(killedAfterMs: number): Promise<boolean> {
    if (this.#isOnPostgres || !existsSync(this.#database)) return false
    const file = await this.backUp(undefined)
    if (file === undefined) return false
    await this.#run(['restore', file], killedAfterMs)
    return true
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
          const checked = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
          const damage = checked.map((row) => row.integrity_check).filter((text) => text !== 'ok')
          if (damage.length > 0) return [`${name}: ${damage.join('; ')}`]
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
    return this.#options.database.cut !== undefined
  }

  get #database(): string {
    return path.join(this.#options.root, '.agentserver/data.db')
  }

  async #cut(forMs: number, signal: AbortSignal): Promise<void> {
    const mend = this.#options.database.cut?.()
    await wait(forMs, undefined, { signal }).catch(() => undefined)
    mend?.()
  }

  async #restart(forMs: number, signal: AbortSignal): Promise<void> {
    const start = await this.#options.database.stop?.()
    await wait(forMs, undefined, { signal }).catch(() => undefined)
    await start?.()
  }

  /** Another file is in the place of the database, which is put back. */
  async #replace({ forMs, by }: Fault & { kind: 'replaced' }, signal: AbortSignal): Promise<void> {
    if (!existsSync(this.#database)) return
    const backup =
      by === 'backup' ? (this.#complete.at(-1)?.file ?? (await this.backUp(undefined))) : undefined
    if (signal.aborted) return
    const away = `${this.#database}-away`
    renameSync(this.#database, away)
    if (backup === undefined) writeFileSync(this.#database, '')
    else copyFileSync(backup, this.#database)
    await wait(forMs, undefined, { signal }).catch(() => undefined)
    renameSync(away, this.#database)
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
    const { root, database, repository = REPOSITORY } = this.#options
    const child = spawn(process.execPath, [path.join(repository, 'bin/agentserver.js'), ...args], {
      cwd: root,
      env: { ...process.env, ...database.env },
      stdio: 'ignore',
      timeout: killedAfterMs,
      killSignal: 'SIGKILL',
    })
    const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    this.counts[exitCode === null ? 'killed' : 'ended']++
    return exitCode
  }
}
