import { InFlightCount, SETTLED_MS, judgeCrash, stepsInFlight } from '../../crash.ts'
import type { Crash, ProcessEnd } from '../../crash.ts'
import { foldSteps } from '../../rows/executions/journal-row.ts'
import { STEPS } from '../../sql/executions.ts'
import type { Database } from '../driver.ts'

/** Called when the process exits, with its code. One listener for all open databases. */
const onExit = new Set<(code: number) => void>()
let listens = false

/** What is recorded of the processes that have owned the database, so that the next one can tell how they ended. */
export class Lives {
  readonly #database: Database
  readonly #ownerEpoch: number
  readonly #exited = (code: number) => {
    if (code !== 0) this.end('crashed')
  }
  #timer: NodeJS.Timeout | undefined
  #begun = false

  constructor(database: Database, ownerEpoch: number) {
    this.#database = database
    this.#ownerEpoch = ownerEpoch
  }

  /** Records this process. To be called before its first execution runs. */
  begin(): void {
    this.#begun = true
    this.#database.prepare('INSERT OR REPLACE INTO lives (owner_epoch) VALUES (?)').run(this.#ownerEpoch)
    this.#timer = setTimeout(() => this.#settle(), SETTLED_MS).unref()
    onExit.add(this.#exited)
    if (!listens) process.on('exit', (code) => onExit.forEach((exited) => exited(code)))
    listens = true
  }

  /** Records how this process ends, unless it only reads. */
  end(how: Exclude<ProcessEnd['how'], 'unknown'>): void {
    if (!this.#begun) return
    this.close()
    try {
      this.#database.prepare('UPDATE lives SET how = ? WHERE owner_epoch = ?').run(how, this.#ownerEpoch)
    } catch {
      // it is then unknown how it ended
    }
  }

  /** Records nothing more. */
  close(): void {
    clearTimeout(this.#timer)
    onExit.delete(this.#exited)
  }

  /** Decides what the ends of earlier processes say, and forgets those that have left nothing. */
  judge(): void {
    const database = this.#database
    database
      .prepare(
        `DELETE FROM lives WHERE owner_epoch < ?
         AND NOT EXISTS (SELECT 1 FROM executions WHERE ended_at IS NULL AND status = 'running' AND executions.owner_epoch = lives.owner_epoch)
         AND NOT EXISTS (SELECT 1 FROM agent_runs WHERE ended_at IS NULL AND status = 'running' AND agent_runs.owner_epoch = lives.owner_epoch)`,
      )
      .run(this.#ownerEpoch)
    const ended = database
      .prepare('SELECT owner_epoch AS epoch, how, settled FROM lives WHERE owner_epoch < ? AND crash IS NULL')
      .all(this.#ownerEpoch) as { epoch: number; how: 'stopped' | 'crashed' | null; settled: number }[]
    for (const { epoch, how, settled } of ended) {
      const crash = judgeCrash({ how: how ?? 'unknown', settled: settled === 1 }, this.#inFlight(epoch))
      database.prepare('UPDATE lives SET crash = ? WHERE owner_epoch = ?').run(crash, epoch)
    }
  }

  /** What the end of an earlier process says about what was in flight. */
  crashOf(ownerEpoch: number): Crash {
    const [life] = this.#database.prepare('SELECT crash FROM lives WHERE owner_epoch = ?').all(ownerEpoch)
    return (life as { crash: Crash | null } | undefined)?.crash ?? 'none'
  }

  #inFlight(epoch: number) {
    const count = new InFlightCount()
    const answers = this.#database
      .prepare(
        `SELECT NULL AS trial FROM agent_runs WHERE ended_at IS NULL AND status = 'running' AND owner_epoch = ?
         AND requester IS NULL AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = agent_runs.id)`,
      )
      .all(epoch)
    count.add(answers as { trial: null }[])
    const running = this.#database
      .prepare(`SELECT id FROM executions WHERE ended_at IS NULL AND status = 'running' AND owner_epoch = ?`)
      .all(epoch) as { id: string }[]
    const steps = this.#database.prepare(STEPS)
    for (const { id } of running) {
      if (count.isEnough) break
      const [row] = steps.all(id) as { steps: string | null }[]
      count.add(stepsInFlight(foldSteps(row?.steps ?? null)))
    }
    return count.inFlight
  }

  #settle(): void {
    try {
      this.#database.prepare('UPDATE lives SET settled = 1 WHERE owner_epoch = ?').run(this.#ownerEpoch)
    } catch {
      // a database that can't be used is reported by its health; the next minute counts
      this.#timer = setTimeout(() => this.#settle(), SETTLED_MS).unref()
    }
  }
}
