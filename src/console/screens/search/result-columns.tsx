import type { SearchResult } from '../../../contract/endpoints/search.ts'
import { Link } from '../../router/link.tsx'
import { oneLine } from '../../ui/escape-hidden.ts'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { Time } from '../../ui/time/time.tsx'

/** The page of a result. */
export function resultPath({ kind, id, traceId }: SearchResult): string {
  return kind === 'execution'
    ? `executions/${encodeURIComponent(id)}`
    : `traces/${encodeURIComponent(traceId)}`
}

export const RESULT_COLUMNS: readonly Column<SearchResult>[] = [
  { name: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Name',
    width: 'minmax(7rem, 1fr)',
    cell: (result) => (
      <Link to={resultPath(result)} tabIndex={-1} title={result.subjectId}>
        {oneLine(result.subjectName, 200)}
      </Link>
    ),
  },
  { name: 'Kind', width: '5.5rem', cell: ({ kind }) => (kind === 'run' ? 'answer' : kind) },
  {
    name: 'Found',
    width: 'minmax(10rem, 4fr)',
    cell: ({ match }) =>
      match && (
        <>
          <span className="text-dim">{match.field}: </span>
          {oneLine(match.text, 300)}
        </>
      ),
  },
  {
    name: 'Id',
    width: '8rem',
    cell: ({ id }) => (
      <span className="font-mono text-sm text-dim" title={id}>
        {id.length > 16 ? `…${id.slice(-14)}` : id}
      </span>
    ),
  },
  { name: 'Started', width: '6.5rem', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
]
