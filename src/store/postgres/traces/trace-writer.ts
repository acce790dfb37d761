import { DAY_MS } from '../../activity-store.ts'
import { createHash } from 'node:crypto'
import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import { chunksOf } from '../../rows/traces/span-chunks.ts'
import { ENTITY_OF, SUBJECTS } from '../../trace-store.ts'
import type { TraceChange, TraceSubject } from '../../trace-store.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import type { DayPartitions } from '../telemetry/day-partitions.ts'
import { DEADLOCK, NO_PARTITION, NO_REFERENCE, retried } from '../telemetry/retried.ts'
import { mergeChanges } from './merge-changes.ts'
import { storableId } from '../storable-id.ts'
import { WRITE } from './write-statement.ts'

/** Writes of traces. */
export class PostgresTraceWriter {
  readonly #database: PostgresDatabase
  readonly #ownerEpoch: number
  readonly #partitions: DayPartitions

  constructor(database: PostgresDatabase, ownerEpoch: number, partitions: DayPartitions) {
    this.#database = database
    this.#ownerEpoch = ownerEpoch
    this.#partitions = partitions
  }

  async write(given: readonly TraceChange[]): Promise<void> {
    if (given.length === 0) return
    const changes = mergeChanges(given)
    const values = [this.#ownerEpoch, ...valuesOf(changes)]
    const causes = {
      [NO_PARTITION]: () => this.#partitions.forget(),
      // another machine has deleted the title, as no trace had it
      [NO_REFERENCE]: () => undefined,
      [DEADLOCK]: () => undefined,
    }
    await retried(causes, async () => {
      await this.#partitions.ensure(changes.map(({ startedAt }) => dayOf(startedAt)))
      await this.#database.rows({ name: 'write-traces', text: WRITE, values })
    })
  }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** The parameters of the statement after the first: columns of traces, chunks and subjects. */
function valuesOf(changes: readonly TraceChange[]): unknown[] {
  const traces = changes.map((change) => traceRow(change))
  const chunks = changes.flatMap(({ traceId, spans }) =>
    chunksOf(spans).map(({ added, firstAt, lastAt, spans: json }) => [traceId, added, firstAt, lastAt, json]),
  )
  const subjects = changes.flatMap((change) => subjectRows(change))
  return [...columnsOf(traces, 17), ...columnsOf(chunks, 5), ...columnsOf(subjects, 4)]
}

function columnsOf(rows: readonly (readonly unknown[])[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, column) => rows.map((row) => row[column]))
}

function traceRow(change: TraceChange): unknown[] {
  const { traceId, kind, status, startedAt, endedAt, usage, subjects, spans, entity } = change
  const { type = '', id = '', name: shown = '' } = entity ?? {}
  const title = [escapeNul(change.name), type, storableId(id), escapeNul(shown)]
  const hash = createHash('sha256').update(JSON.stringify(title)).digest('hex').slice(0, 32)
  const execution = subjects.find(isExecution)?.[1]
  return [
    traceId,
    hash,
    ...title,
    execution === undefined ? null : storableId(execution),
    kind,
    status ?? null,
    Math.floor(startedAt),
    endedAt,
    dayOf(startedAt),
    spans.reduce((sum, { isNew }) => sum + Number(isNew), 0),
    usage?.inputTokens ?? null,
    usage?.outputTokens ?? null,
    usage ? usage.costNano : 0,
    entity !== undefined,
  ]
}

function subjectRows({ traceId, subjects, entity }: TraceChange): unknown[][] {
  const execution = subjects.find(isExecution)
  return subjects.map((one) => [
    traceId,
    SUBJECTS.indexOf(one[0]),
    storableId(one[1]),
    // a new trace's row or title has it
    one === execution || (entity !== undefined && isEntity(one, entity)),
  ])
}

function isExecution([subject]: TraceSubject): boolean {
  return subject === 'executionId'
}

function isEntity([subject, id]: TraceSubject, entity: TraceEntity): boolean {
  return ENTITY_OF[subject] === entity.type && id === entity.id
}
