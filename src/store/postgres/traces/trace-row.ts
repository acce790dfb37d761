import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import type { TraceRow } from '../../trace-store.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'

/** Longer ids are shortened: an entry of an index has a limit. */
const MAX_ID_CHARACTERS = 512

export const TRACE_COLUMNS = `t.number, t.trace_id AS "traceId", n.name, t.kind, coalesce(t.status, 'ok') AS status,
  t.started_at AS "startedAt", t.ended_at AS "endedAt", t.span_count AS "spanCount",
  t.input_tokens AS "inputTokens", t.output_tokens AS "outputTokens",
  t.cost_nano AS "costNano",
  n.entity_type AS "entityType", n.entity_id AS "entityId", n.entity_name AS "entityName"`

export const FROM_TRACES = 'FROM traces t JOIN trace_titles n ON n.id = t.title'

/** A row of `TRACE_COLUMNS`. */
export interface FlatRow extends Omit<TraceRow, 'entity' | 'usage'> {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costNano: number | null
  /** Empty without an entity. */
  readonly entityType: TraceEntity['type'] | ''
  readonly entityId: string
  readonly entityName: string
}

export function traceRow(flat: FlatRow): TraceRow {
  const { inputTokens, outputTokens, costNano, entityType, entityId, entityName, ...row } = flat
  return {
    ...row,
    name: unescapeNul(row.name),
    entity:
      entityType === ''
        ? undefined
        : { type: entityType, id: unescapeNul(entityId), name: unescapeNul(entityName) },
    usage:
      inputTokens === null && outputTokens === null
        ? undefined
        : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costNano },
  }
}

/** An id as it is stored, and found. */
export function storableId(id: string): string {
  return escapeNul(id.slice(0, MAX_ID_CHARACTERS))
}
