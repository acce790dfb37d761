import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import type { Subject, TraceRow } from '../../trace-store.ts'

/** Subjects, the most selective first: the index of the first one in a filter selects the traces. */
export const SUBJECTS_BY_SELECTIVITY = [
  'executionId',
  'conversationId',
  'userId',
  'agentId',
  'workflowId',
] as const satisfies Subject[]

/** Maximum number of titles with a query each; with more, most traces match and one scan is faster. */
export const MAX_TITLE_QUERIES = 20

/** A trace as the columns of one row. */
export interface TraceColumns extends Omit<TraceRow, 'entity' | 'usage'> {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costNano: number | null
  /** Empty without an entity. */
  readonly entityType: TraceEntity['type'] | ''
  readonly entityId: string
  readonly entityName: string
}

export function traceOfColumns({
  inputTokens,
  outputTokens,
  costNano,
  entityType,
  entityId,
  entityName,
  ...row
}: TraceColumns): TraceRow {
  return {
    ...row,
    entity: entityType === '' ? undefined : { type: entityType, id: entityId, name: entityName },
    usage:
      inputTokens === null && outputTokens === null
        ? undefined
        : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costNano },
  }
}
