import type { TraceRow } from '../../trace-store.ts'
import { traceOfColumns } from '../../rows/traces/trace-columns.ts'
import type { TraceColumns } from '../../rows/traces/trace-columns.ts'
import { unescapeNul } from '../escape-nul.ts'

export const TRACE_COLUMNS = `t.number, t.trace_id AS "traceId", n.name, t.kind, coalesce(t.status, 'ok') AS status,
  t.started_at AS "startedAt", t.ended_at AS "endedAt", t.span_count AS "spanCount",
  t.input_tokens AS "inputTokens", t.output_tokens AS "outputTokens",
  t.cost_nano AS "costNano",
  n.entity_type AS "entityType", n.entity_id AS "entityId", n.entity_name AS "entityName"`

export const FROM_TRACES = 'FROM traces t JOIN trace_titles n ON n.id = t.title'

/** The trace of a row of `TRACE_COLUMNS`. */
export function traceRow(columns: TraceColumns): TraceRow {
  const { name, entityId, entityName, ...rest } = columns
  return traceOfColumns({
    ...rest,
    name: unescapeNul(name),
    entityId: unescapeNul(entityId),
    entityName: unescapeNul(entityName),
  })
}
