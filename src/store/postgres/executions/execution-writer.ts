import type { Applied, ExecutionWrite } from '../../execution-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import type { WaitChange } from '../../event-store.ts'
import { executionBatch, withFollowers } from './execution-batch.ts'
import type { ExecutionBatch } from './execution-batch.ts'
import { escapeNul } from '../escape-nul.ts'
import { databaseTime, limitsJson } from '../queue/postgres-queue.ts'
import { jobsOfOutcomes } from '../queue/queue-outcome.ts'
import type { QueueOutcome } from '../queue/queue-outcome.ts'
import { NOBODY } from '../../queue-store.ts'
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
  /** Executions that wait for a slot. */
  readonly queued?: readonly string[]
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

  async write(writes: readonly ExecutionWrite[]): Promise<readonly Applied[]> {
    const full = new Set<string>()
    for (;;) {
      const kept = writes.filter(({ id }) => !full.has(id))
      try {
        const applied = [...(await this.#writeAll(kept))]
        return writes.map(({ id }): Applied => (full.has(id) ? 'full' : (applied.shift() ?? false)))
      } catch (error) {
        if (!(error instanceof QueueFull)) throw error
        for (const id of error.ids) full.add(id)
      }
    }
  }

  async #writeAll(writes: readonly ExecutionWrite[]): Promise<readonly Applied[]> {
    if (writes.length === 0) return []
    const batch = executionBatch(writes)
    const { refused, queued = [] } = await this.#writes.run(() => this.#store(batch, writes))
    const applied = batch.units.map((unit, index): Applied => {
      if (refused.includes(unit)) return false
      if (queued.length === 0) return true
      const ids = withFollowers(writes[index] as ExecutionWrite).map(({ id }) => id)
      const waiting = ids.filter((id) => queued.includes(id))
      return waiting.length === 0 || { queued: waiting }
    })
    const ids = writes.filter((_, index) => applied[index] !== false).flatMap((write) => withFollowers(write))
    if (ids.length > 0) this.#deps.onCommitted(ids.map(({ id }) => id))
    return applied
  }

  /** Opens a connection and plans the statements of a write there: both take many times as long as a write. */
  async warm(): Promise<void> {
    await this.#call(this.#deps.database, NO_CHANGE)
  }

  #store(batch: ExecutionBatch, writes: readonly ExecutionWrite[]): Promise<Outcome> {
    const { database, jobs } = this.#deps
    if (!writes.some((write) => withFollowers(write).some((part) => part.jobs ?? part.queue ?? part.waits)))
      return this.#call(database, batch)
    return database.transaction(async (tx) => {
      const outcome = await this.#call(tx, batch)
      const skipped = new Set([...outcome.refused, ...outcome.stored])
      const applied = writes.filter((_, index) => !skipped.has(batch.units[index] ?? -1))
      const parts = applied.flatMap((write) => withFollowers(write))
      const changes = parts.flatMap((part) => part.jobs ?? [])
      const outcomes = await changeQueue(tx, parts, jobs)
      const drop = changes.flatMap((change) => change.drop ?? [])
      const add = [...changes.flatMap((change) => change.add ?? []), ...jobsOfOutcomes(outcomes, jobs)]
      if (drop.length > 0) await jobs.drop(tx, drop)
      if (add.length > 0) await jobs.add(tx, add)
      await writeWaits(
        tx,
        parts.flatMap(({ id, waits }) => (waits ? { executionId: id, ...waits } : [])),
      )
      return { ...outcome, queued: await this.#queue(tx, { writes, parts, outcomes }) }
    })
  }

  /** Has the executions that got no slot wait. Returns their ids. */
  async #queue(
    tx: PostgresQueries,
    {
      writes,
      parts,
      outcomes,
    }: {
      writes: readonly ExecutionWrite[]
      parts: readonly ExecutionWrite[]
      outcomes: readonly QueueOutcome[]
    },
  ): Promise<readonly string[]> {
    const reasons = new Map(
      outcomes.flatMap(({ kind, id, reason }) =>
        kind === 'queued' && reason ? [[id, reason] as const] : [],
      ),
    )
    const waits = parts.flatMap(({ id, queue }) => {
      const reason = reasons.get(id)
      return reason && queue && 'enter' in queue ? queue.enter.whenFull(reason) : []
    })
    if (waits.length > 0) await this.#call(tx, executionBatch(waits))
    const before = writes
      .flatMap((write) => withFollowers(write))
      .filter((part) => part.queue && 'enter' in part.queue && !parts.includes(part))
    if (before.length === 0) return [...reasons.keys()]
    // of those that an earlier attempt has stored
    const rows = await tx.rows<{ id: string }>({
      text: 'SELECT id FROM executions WHERE id = ANY ($1) AND owner_epoch = $2',
      values: [before.map(({ id }) => id), NOBODY],
    })
    return [...reasons.keys(), ...rows.map(({ id }) => id)]
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

/** Thrown in a transaction, which is repeated without the executions that are refused. */
class QueueFull extends Error {
  readonly ids: readonly string[]

  constructor(ids: readonly string[]) {
    super('Too many executions wait for a slot')
    this.ids = ids
  }
}

async function changeQueue(
  tx: PostgresQueries,
  parts: readonly ExecutionWrite[],
  jobs: JobWriter,
): Promise<readonly QueueOutcome[]> {
  const changes = parts.flatMap(({ id, queue }): object[] => {
    if (!queue) return []
    if ('begin' in queue) return [{ begin: escapeNul(id), now: databaseTime(queue.begin, jobs) }]
    if ('leave' in queue)
      return [{ leave: escapeNul(id), now: databaseTime(queue.leave, jobs), final: queue.isFinal }]
    const { limits, whenFull: _, concurrencyKey, rateKey, ...rest } = queue.enter
    const entry = { ...rest, now: databaseTime(rest.since, jobs) }
    const keys = { id: escapeNul(id), concurrencyKey: escapeNul(concurrencyKey), rateKey: escapeNul(rateKey) }
    return [{ enter: { ...entry, ...keys, ...limitsJson(limits) } }]
  })
  if (changes.length === 0) return []
  const outcomes = await tx.rows<QueueOutcome>({
    name: 'change_queue',
    text: 'SELECT * FROM change_queue($1)',
    values: [JSON.stringify(changes)],
  })
  const full = outcomes.filter(({ kind }) => kind === 'full')
  if (full.length > 0) throw new QueueFull(full.map(({ id }) => id))
  return outcomes
}

/** The waits that begin and end with a change of an execution. */
interface ExecutionWaits extends WaitChange {
  readonly executionId: string
}

/** Stores waits in the transaction of the changes that they belong to. */
async function writeWaits(tx: PostgresQueries, changes: readonly ExecutionWaits[]): Promise<void> {
  const dropped = changes.flatMap(({ executionId, drop }) => drop.map((path) => [executionId, path]))
  if (dropped.length > 0)
    await tx.change({
      name: 'drop_waits',
      text: `DELETE FROM waits WHERE (execution_id, path) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      values: [dropped.map(([id]) => id), dropped.map(([, path]) => path)],
    })
  const taken = changes.flatMap(({ executionId, take }) => take.map((id) => [executionId, id]))
  if (taken.length > 0)
    await tx.change({
      name: 'take_events',
      text: `INSERT INTO event_takes (event_id, execution_id)
        SELECT e.id, t.execution_id FROM unnest($1::text[], $2::text[]) t (execution_id, event_id) JOIN events e ON e.id = t.event_id
        ON CONFLICT DO NOTHING`,
      values: [taken.map(([id]) => id), taken.map(([, id]) => id)],
    })
  const added = changes.flatMap(({ executionId, add }) => add.map((wait) => ({ executionId, ...wait })))
  if (added.length > 0)
    await tx.change({
      name: 'add_waits',
      text: `INSERT INTO waits (execution_id, path, name, key, since)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        ON CONFLICT (execution_id, path) DO UPDATE SET name = excluded.name, key = excluded.key, since = excluded.since`,
      values: [
        added.map(({ executionId }) => executionId),
        added.map(({ path }) => path),
        added.map(({ name }) => name),
        added.map(({ key }) => escapeNul(key)),
        added.map(({ since }) => since),
      ],
    })
}
