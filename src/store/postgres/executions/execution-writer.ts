import type { ExecutionWrite } from '../../execution-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { executionBatch, withFollowers } from './execution-batch.ts'
import type { ExecutionBatch } from './execution-batch.ts'
import type { JobWriter } from './job-writer.ts'

export interface ExecutionWriterDeps {
  readonly database: PostgresDatabase
  readonly ownerEpoch: number
  readonly jobs: JobWriter
  /** Called after each commit with the ids of the executions that it has changed. */
  readonly onCommitted: (ids: readonly string[]) => void
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

interface Outcome {
  /** Units whose conditions fail. */
  readonly refused: readonly number[]
  /** Units that an earlier attempt has stored. */
  readonly stored: readonly number[]
}

/** A change of an execution that does not exist. */
const NO_CHANGE: ExecutionBatch = {
  writes: JSON.stringify([{ place: 0, unit: 0, round: 0, id: '' }]),
  units: [0],
}

/**
 * Writes of executions. An outage of the database delays them: a batch that may have been stored before its answer was
 * lost is sent again, with tokens by which the database recognizes what it has.
 */
export class PostgresExecutionWriter {
  readonly #deps: ExecutionWriterDeps
  readonly #writes: RepeatedWrites

  constructor(deps: ExecutionWriterDeps) {
    this.#deps = deps
    this.#writes = new RepeatedWrites(deps.closing)
  }

  async write(writes: readonly ExecutionWrite[]): Promise<readonly boolean[]> {
    if (writes.length === 0) return []
    const batch = executionBatch(writes)
    const { refused } = await this.#writes.run(() => this.#store(batch, writes))
    const applied = batch.units.map((unit) => !refused.includes(unit))
    const ids = writes.filter((_, index) => applied[index]).flatMap((write) => withFollowers(write))
    if (ids.length > 0) this.#deps.onCommitted(ids.map(({ id }) => id))
    return applied
  }

  /** Opens a connection and plans the statements of a write there: both take many times as long as a write. */
  async warm(): Promise<void> {
    await this.#call(this.#deps.database, NO_CHANGE)
  }

  #store(batch: ExecutionBatch, writes: readonly ExecutionWrite[]): Promise<Outcome> {
    const { database, jobs } = this.#deps
    if (!writes.some((write) => withFollowers(write).some((part) => part.jobs)))
      return this.#call(database, batch)
    return database.transaction(async (tx) => {
      const outcome = await this.#call(tx, batch)
      const skipped = new Set([...outcome.refused, ...outcome.stored])
      const applied = writes.filter((_, index) => !skipped.has(batch.units[index] ?? -1))
      const changes = applied.flatMap((write) => withFollowers(write)).flatMap((part) => part.jobs ?? [])
      const drop = changes.flatMap((change) => change.drop ?? [])
      const add = changes.flatMap((change) => change.add ?? [])
      if (drop.length > 0) await jobs.drop(tx, drop)
      if (add.length > 0) await jobs.add(tx, add)
      return outcome
    })
  }

  async #call(queries: PostgresQueries, { writes }: ExecutionBatch): Promise<Outcome> {
    const [outcome] = await queries.rows<Outcome>({
      name: 'write_executions',
      text: 'SELECT refused, stored FROM write_executions($1, $2)',
      values: [this.#deps.ownerEpoch, writes],
    })
    if (!outcome) throw new Error('write_executions has returned nothing')
    return outcome
  }
}
