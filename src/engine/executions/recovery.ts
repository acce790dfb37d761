import type { Logger } from 'pino'
import { isFinal } from '../../contract/is-final.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { Run } from '../run/run.ts'

/** How many executions are taken over side by side. */
const SLICE = 200
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 30_000

interface RecoveryOptions {
  readonly store: Store
  readonly logger: Logger
}

interface RecoveryHost {
  takeOver(row: ExecutionRow): Promise<Run | undefined>
  cancel(id: string, reason: string): Promise<unknown>
}

/** Takes up executions that are `running` in the store and run nowhere. */
export class Recovery {
  readonly #options: RecoveryOptions
  readonly #host: RecoveryHost
  /** Executions of this process whose last change the store could not take. */
  readonly #stalled = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #retryMs = FIRST_RETRY_MS
  #stopped = false

  constructor(options: RecoveryOptions, host: RecoveryHost) {
    this.#options = options
    this.#host = host
  }

  async run(): Promise<void> {
    const { store, logger } = this.#options
    const ids = [...new Set([...(await store.executions.stranded()), ...this.#stalled])]
    const waiting: string[] = []
    for (let next = 0; next < ids.length && !this.#stopped; next += SLICE) {
      const slice = ids.slice(next, next + SLICE)
      await Promise.all(slice.map(async (id) => ((await this.#one(id)) ? undefined : waiting.push(id))))
    }
    if (ids.length > waiting.length)
      logger.info(`Took up ${ids.length - waiting.length} running execution(s)`)
    if (waiting.length > 0)
      logger.warn(
        `${waiting.length} running execution(s) wait for a workflow that is not in the configuration`,
      )
  }

  /** Tries again later, less and less often, until the store takes the execution's changes. */
  stalled(id: string, cause: Error): void {
    this.#stalled.add(id)
    this.#options.logger.error({ err: cause, executionId: id }, 'An execution waits for the database')
    this.#retryLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** `false` when its workflow is not there. */
  async #one(id: string): Promise<boolean> {
    const row = await this.#options.store.executions.get(id)
    if (row?.status !== 'running') {
      this.#stalled.delete(id)
      return true
    }
    if (await this.#isOrphan(row)) {
      await this.#host.cancel(id, 'The execution that waited for it has ended')
    } else {
      const run = await this.#host.takeOver(row)
      if (!run) return false
      await run.begun()
    }
    this.#stalled.delete(id)
    return true
  }

  /** Whether its parent has ended, and the process died before it could end its children, too. */
  async #isOrphan({ parentId }: ExecutionRow): Promise<boolean> {
    const parent = parentId === null ? undefined : await this.#options.store.executions.get(parentId)
    return parent !== undefined && isFinal(parent.status)
  }

  #retryLater(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.run().then(
        () => (this.#retryMs = FIRST_RETRY_MS),
        (error: unknown) => {
          this.#options.logger.error({ err: error }, 'The database still refuses changes')
          this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
          this.#retryLater()
        },
      )
    }, this.#retryMs)
    this.#timer.unref()
  }
}
