import { ContentErasure, isShared } from '../../rows/traces/erase-content.ts'
import { SUBJECTS } from '../../trace-store.ts'
import type { DeletedTraces, ErasedSpans, Subject } from '../../trace-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { unescapeNul } from '../escape-nul.ts'
import { storableId } from '../storable-id.ts'
import { deleteTraces } from './trace-pruner.ts'
import type { OldTrace } from './trace-pruner.ts'

/** Chunks that are read at a time. */
const CHUNK_PAGE = 32

interface Chunk {
  readonly trace: number
  readonly day: number
  readonly number: number
  readonly firstAt: number
  readonly spans: string
}

interface FoundTrace extends OldTrace {
  readonly traceId: string
  readonly executionId: string | null
}

/** Deletes traces on request, and removes content from those that have spans of others. */
export class PostgresTraceEraser {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  delete(traceIds: readonly string[], erased: ErasedSpans): Promise<DeletedTraces> {
    return this.#database.transaction(async (tx) => {
      const traces = await tx.rows<FoundTrace>({
        text: `SELECT trace_id AS "traceId", number, day, span_count AS "spanCount", execution_id AS "executionId"
          FROM traces WHERE trace_id = ANY ($1) ORDER BY number FOR UPDATE`,
        values: [traceIds],
      })
      const subjects = await subjectsOf(tx, traces)
      const shared = traces.filter((trace) => isShared(subjects.get(trace.number) ?? [], erased))
      const whole = traces.filter((trace) => !shared.includes(trace))
      await deleteTraces(tx, whole)
      return {
        spans: whole.reduce((sum, { spanCount }) => sum + spanCount, 0),
        shared: shared.map(({ traceId }) => traceId),
      }
    })
  }

  async eraseContent(traceId: string, erased: ErasedSpans): Promise<void> {
    const erasure = new ContentErasure(erased)
    if (erasure.needsNotes) for await (const { spans } of this.#chunks(traceId)) erasure.note(spans)
    for await (const { trace, day, number, firstAt, spans: stored } of this.#chunks(traceId)) {
      const spans = erasure.without(stored)
      if (spans === undefined) continue
      await this.#database.change({
        name: 'erase-content',
        text: `UPDATE span_chunks SET spans = $5 WHERE trace = $1 AND first_at = $2 AND number = $3 AND day = $4`,
        values: [trace, firstAt, number, day, spans],
      })
    }
    const forget = (subject: Subject, ids: readonly string[]) =>
      this.#database.change({
        text: `DELETE FROM trace_subjects WHERE trace = (SELECT number FROM traces WHERE trace_id = $1)
          AND subject = $2 AND id = ANY ($3)`,
        values: [traceId, SUBJECTS.indexOf(subject), ids.map((id) => storableId(id))],
      })
    await forget('executionId', erased.executionIds)
    if (erased.userId !== undefined) await forget('userId', [erased.userId])
  }

  async *#chunks(traceId: string): AsyncGenerator<Chunk> {
    let after: Pick<Chunk, 'firstAt' | 'number'> = { firstAt: Number.MIN_SAFE_INTEGER, number: 0 }
    for (;;) {
      const chunks: Chunk[] = await this.#database.rows<Chunk>({
        name: 'content-chunks',
        text: `SELECT trace, day, number, first_at AS "firstAt", spans FROM span_chunks
          WHERE (trace, day) = (SELECT number, day FROM traces WHERE trace_id = $1) AND (first_at, number) > ($2, $3)
          ORDER BY first_at, number LIMIT ${CHUNK_PAGE}`,
        values: [traceId, after.firstAt, after.number],
      })
      yield* chunks
      const last = chunks.at(-1)
      if (chunks.length < CHUNK_PAGE || !last) return
      after = last
    }
  }
}

async function subjectsOf(
  tx: PostgresQueries,
  traces: readonly FoundTrace[],
): Promise<ReadonlyMap<number, [Subject, string][]>> {
  const rows = await tx.rows<{ trace: number; subject: number; id: string }>({
    text: 'SELECT trace, subject, id FROM trace_subjects WHERE trace = ANY ($1::bigint[])',
    values: [traces.map(({ number }) => number)],
  })
  const found = new Map(
    traces.map(({ number, executionId }): [number, [Subject, string][]] => [
      number,
      executionId === null ? [] : [['executionId', unescapeNul(executionId)]],
    ]),
  )
  for (const { trace, subject, id } of rows)
    found.get(trace)?.push([SUBJECTS[subject] as Subject, unescapeNul(id)])
  return found
}
