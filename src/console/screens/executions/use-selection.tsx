import { useCallback, useMemo } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { useKeptState } from '../../router/use-kept-state.ts'
import { EXECUTION_COLUMNS } from '../../executions/execution-columns.tsx'
import type { Column } from '../../ui/table/data-table.tsx'

export interface Selection {
  readonly selected: readonly ExecutionRecord[]
  readonly toggle: (record: ExecutionRecord) => void
  readonly select: (records: readonly ExecutionRecord[]) => void
  /** The columns of the list, with a checkbox column. */
  readonly columns: readonly Column<ExecutionRecord>[]
}

/** The selected executions; `newest` returns the current record of one. */
export function useSelection(newest: (id: string) => ExecutionRecord | undefined): Selection {
  const [records, select] = useKeptState<readonly ExecutionRecord[]>('selected executions', [])
  const toggle = useCallback((record: ExecutionRecord) => select(toggled(records, record)), [records, select])
  const columns = useMemo(() => {
    const ids = new Set(records.map(({ id }) => id))
    return [selectColumn(ids, toggle), ...EXECUTION_COLUMNS]
  }, [records, toggle])
  return { columns, selected: records.map((record) => newest(record.id) ?? record), toggle, select }
}

function toggled(old: readonly ExecutionRecord[], record: ExecutionRecord): readonly ExecutionRecord[] {
  const others = old.filter(({ id }) => id !== record.id)
  return others.length === old.length ? [...old, record] : others
}

function selectColumn(
  selected: ReadonlySet<string>,
  toggle: (record: ExecutionRecord) => void,
): Column<ExecutionRecord> {
  return {
    name: 'Selected',
    quiet: true,
    width: '1.5rem',
    cell: (record) => (
      <input
        type="checkbox"
        aria-label={`Select ${record.workflowId} ${record.id}`}
        tabIndex={-1}
        checked={selected.has(record.id)}
        onChange={() => toggle(record)}
        className="block size-4"
      />
    ),
  }
}
