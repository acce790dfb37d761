import { useMemo, useState } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
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
  const [records, setRecords] = useState<ReadonlyMap<string, ExecutionRecord>>(new Map())
  const columns = useMemo(() => {
    const toggleOne = (record: ExecutionRecord) => setRecords((old) => toggle(old, record))
    return [selectColumn(records, toggleOne), ...EXECUTION_COLUMNS]
  }, [records])
  return {
    columns,
    selected: [...records.values()].map((record) => newest(record.id) ?? record),
    toggle: (record) => setRecords((old) => toggle(old, record)),
    select: (all) => setRecords(new Map(all.map((record) => [record.id, record]))),
  }
}

function toggle(
  old: ReadonlyMap<string, ExecutionRecord>,
  record: ExecutionRecord,
): ReadonlyMap<string, ExecutionRecord> {
  const next = new Map(old)
  if (!next.delete(record.id)) next.set(record.id, record)
  return next
}

function selectColumn(
  records: ReadonlyMap<string, ExecutionRecord>,
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
        checked={records.has(record.id)}
        onChange={() => toggle(record)}
        className="block size-4"
      />
    ),
  }
}
