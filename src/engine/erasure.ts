import { AppError } from '../lib/errors.ts'
import type { ErasableRecord, ErasableRecords, ErasedRows, ErasureStore } from '../store/erasure-store.ts'
import type { Store } from '../store/store.ts'
import type { ExecutionRef } from './executions/find.ts'
import type { Executions } from './executions/executions.ts'

/** Executions and agent runs of a user that are erased at a time. */
const AT_ONCE = 50

interface ErasureDeps {
  readonly store: Store
  readonly executions: Pick<Executions, 'find' | 'cancel'>
  /** Ends a run wherever it is, and waits for it if it runs here. */
  readonly stopAnswer: (id: string) => Promise<unknown>
}

/** Deletes executions and agent runs on request, with the executions and runs that they have started. */
export class Erasure {
  readonly #store: ErasureStore
  readonly #deps: ErasureDeps

  constructor(deps: ErasureDeps) {
    this.#deps = deps
    this.#store = deps.store.erasure
  }

  /**
   * An execution with its parts.
   *
   * @throws AppError `not_found`; `conflict` if one of them, or the execution that this one is a step of, has not ended.
   */
  async ofExecution(ref: ExecutionRef): Promise<ErasableRecords> {
    const { id, parentId } = await this.#deps.executions.find(ref)
    const family = await this.#withParts({ executions: await this.#store.executions([id]), runs: [] })
    const parents = parentId === null ? [] : await this.#store.executions([parentId])
    const open = [...family.executions, ...family.runs, ...parents].find(({ isOpen }) => isOpen)
    if (open)
      throw new AppError(
        'conflict',
        `Execution ${id} can't be deleted: ${open.id} has not ended. Cancel it first`,
      )
    return family
  }

  /** Agent runs with their parts. */
  ofRuns(runs: readonly ErasableRecord[]): Promise<ErasableRecords> {
    return this.#withParts({ executions: [], runs })
  }

  /** Some of the executions and agent runs of a user, with their parts, after they have been ended. None: there are no more. */
  async nextOf(userId: string): Promise<ErasableRecords> {
    const family = await this.#withParts(await this.#store.ofUser(userId, AT_ONCE))
    for (const { id, isOpen } of family.executions) if (isOpen) await this.#cancel(id)
    for (const { id, isOpen } of family.runs) if (isOpen) await this.#deps.stopAnswer(id)
    return family
  }

  delete({ executions, runs }: ErasableRecords): Promise<ErasedRows> {
    const idsOf = (records: readonly ErasableRecord[]) => records.map(({ id }) => id)
    return this.#store.delete({ executions: idsOf(executions), runs: idsOf(runs) })
  }

  /** Deletes what a user has besides executions and agent runs. */
  deleteUser(userId: string): Promise<ErasedRows> {
    return this.#store.deleteUser(userId)
  }

  /** Removes what deletions leave in the index and the log of the database. */
  purge(): Promise<void> {
    return this.#store.purge()
  }

  async #withParts(first: ErasableRecords): Promise<ErasableRecords> {
    const executions = new Map(first.executions.map((record) => [record.id, record]))
    const runs = new Map(first.runs.map((record) => [record.id, record]))
    for (let ids = [...executions.keys(), ...runs.keys()]; ids.length > 0;) {
      const parts = await this.#store.parts(ids)
      const isNew = ({ id }: ErasableRecord) => !executions.has(id) && !runs.has(id)
      const found = { executions: parts.executions.filter(isNew), runs: parts.runs.filter(isNew) }
      for (const record of found.executions) executions.set(record.id, record)
      for (const record of found.runs) runs.set(record.id, record)
      ids = [...found.executions, ...found.runs].map(({ id }) => id)
    }
    return { executions: [...executions.values()], runs: [...runs.values()] }
  }

  /** It may have ended in the meantime. */
  async #cancel(executionId: string): Promise<void> {
    try {
      const { status } = await this.#deps.executions.cancel({ executionId }, 'Erased')
      if (status === 'running')
        throw new AppError('conflict', `Execution ${executionId} is still being compensated; try again later`)
    } catch (error) {
      if (!(error instanceof AppError) || !/^not_(?:found|cancellable)$/.test(error.code)) throw error
    }
  }
}
