import { isFinal } from '../../contract/is-final.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { cancelExecution } from './cancel.ts'
import type { CommandDeps } from './live-runs.ts'
import { recoverExecution } from './recover.ts'

/** Executions that are recovered at the same time; bounds the memory of a restart. */
const BATCH = 200
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 30_000

/** `not running`: also when the execution was never stored. `no workflow`: it no longer exists. */
type RecoveryOutcome = 'recovered' | 'not running' | 'no workflow'

/** Recovers the executions that are `running` in the store but run nowhere. */
export class Recovery {
  readonly #deps: CommandDeps
  /** Executions of this process whose last change the store failed to record. */
  readonly #stalled = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #retryMs = FIRST_RETRY_MS
  #stopped = false

  constructor(deps: CommandDeps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { store, logger } = this.#deps
    const ids = [...new Set([...(await store.executions.orphaned()), ...this.#stalled])]
    const count: Record<RecoveryOutcome, number> = { recovered: 0, 'not running': 0, 'no workflow': 0 }
    for (let next = 0; next < ids.length && !this.#stopped; next += BATCH) {
      const batch = ids.slice(next, next + BATCH)
      await Promise.all(batch.map(async (id) => count[await this.#recover(id)]++))
    }
    const { recovered, 'no workflow': waiting } = count
    if (recovered > 0) logger.info(`Recovered ${recovered} execution(s)`)
    if (waiting > 0)
      logger.warn(
        `${waiting} execution(s) can't be recovered: the configuration no longer has their workflow`,
      )
  }

  /** Retries later, with increasing delays, until the store records the execution's changes. */
  stalled(id: string, cause: Error): void {
    this.#stalled.add(id)
    this.#deps.logger.error({ err: cause, executionId: id }, 'An execution waits for the database')
    this.#retryLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #recover(id: string): Promise<RecoveryOutcome> {
    const row = await this.#deps.store.executions.get(id)
    if (row?.status !== 'running') {
      this.#stalled.delete(id)
      return 'not running'
    }
    if (await this.#isOrphan(row)) {
      await cancelExecution(this.#deps, id, { reason: 'The parent execution has ended' })
    } else {
      const run = await recoverExecution(this.#deps, id)
      if (!run) return 'no workflow'
      await run.started()
    }
    this.#stalled.delete(id)
    return 'recovered'
  }

  /** Whether its parent has ended, and the process died before it could cancel its children. */
  async #isOrphan({ parentId }: ExecutionRow): Promise<boolean> {
    const parent = parentId === null ? undefined : await this.#deps.store.executions.get(parentId)
    return parent !== undefined && isFinal(parent.status)
  }

  #retryLater(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // until the database can be used, a recovered run would only fail again
      if (this.#deps.store.health.problem) return this.#retryLater()
      this.run().then(
        () => (this.#retryMs = FIRST_RETRY_MS),
        (error: unknown) => {
          this.#deps.logger.error({ err: error }, 'The database still fails to store changes')
          this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
          this.#retryLater()
        },
      )
    }, this.#retryMs)
    this.#timer.unref()
  }
}
