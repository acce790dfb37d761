import { ContentErasure, isShared } from '../../rows/traces/erase-content.ts'
import { SUBJECTS } from '../../trace-store.ts'
import type { DeletedTraces, ErasedSpans, Subject } from '../../trace-store.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'
import { firstChunk } from './chunk-numbers.ts'
import type { PrunableTrace, TracePruner } from './trace-pruner.ts'

interface Chunk {
  readonly number: number
  readonly spans: string
}

/** Deletes traces on request, and removes content from those that have spans of others. */
export class TraceEraser {
  readonly #database: Database
  readonly #pruner: TracePruner
  readonly #trace: Statement
  readonly #subjects: Statement
  readonly #deleteSubject: Statement
  readonly #next: Statement
  readonly #update: Statement

  constructor(database: Database, pruner: TracePruner) {
    this.#database = database
    this.#pruner = pruner
    this.#trace = database.prepare(
      'SELECT number, span_count AS spanCount, title, execution_id AS executionId FROM traces WHERE trace_id = ?',
    )
    this.#subjects = database.prepare('SELECT subject, id FROM trace_subjects WHERE trace = ?')
    this.#deleteSubject = database.prepare(
      'DELETE FROM trace_subjects WHERE trace = ? AND subject = ? AND id IN (SELECT value FROM json_each(?))',
    )
    this.#next = database.prepare(
      'SELECT number, spans FROM span_chunks WHERE number >= ? AND number < ? ORDER BY number LIMIT 1',
    )
    this.#update = database.prepare('UPDATE span_chunks SET spans = ? WHERE number = ?')
  }

  delete(traceIds: readonly string[], erased: ErasedSpans): DeletedTraces {
    return inTransaction(this.#database, () => {
      let spans = 0
      const shared: string[] = []
      for (const traceId of traceIds) {
        const trace = this.#find(traceId)
        if (!trace) continue
        if (isShared(this.#subjectsOf(trace), erased)) shared.push(traceId)
        else spans += this.#pruner.delete(trace)
      }
      return { spans, shared }
    })
  }

  eraseContent(traceId: string, erased: ErasedSpans): void {
    const trace = this.#find(traceId)
    if (!trace) return
    const erasure = new ContentErasure(erased)
    if (erasure.needsNotes) for (const { spans } of this.#chunks(trace)) erasure.note(spans)
    for (const chunk of this.#chunks(trace)) {
      const spans = erasure.without(chunk.spans)
      if (spans !== undefined) this.#update.run(spans, chunk.number)
    }
    const forget = (subject: Subject, ids: readonly string[]) =>
      this.#deleteSubject.run(trace.number, SUBJECTS.indexOf(subject), JSON.stringify(ids))
    forget('executionId', erased.executionIds)
    if (erased.userId !== undefined) forget('userId', [erased.userId])
  }

  #find(traceId: string): FoundTrace | undefined {
    return (this.#trace.all(traceId) as FoundTrace[])[0]
  }

  #subjectsOf({ number, executionId }: FoundTrace): [Subject, string][] {
    const rows = this.#subjects.all(number) as { subject: number; id: string }[]
    const further = rows.map(({ subject, id }): [Subject, string] => [SUBJECTS[subject] as Subject, id])
    return executionId === null ? further : [['executionId', executionId], ...further]
  }

  *#chunks({ number }: FoundTrace): Generator<Chunk> {
    const end = firstChunk(number + 1)
    for (let next = firstChunk(number); ;) {
      const [chunk] = this.#next.all(next, end) as Chunk[]
      if (!chunk) return
      yield chunk
      next = chunk.number + 1
    }
  }
}

interface FoundTrace extends PrunableTrace {
  readonly executionId: string | null
}
