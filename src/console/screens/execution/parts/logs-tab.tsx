import { useMemo, useRef } from 'react'
import { NewRecordsButton } from '../../../logs/still/new-records-button.tsx'
import { useStillRecords } from '../../../logs/still/use-still-records.ts'
import { LOG_LEVELS_SHOWN, useRunLogs } from './use-run-logs.ts'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { Link } from '../../../router/link.tsx'
import { useUrlState } from '../../../router/use-url-state.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx'
import { exactTime } from '../../../ui/time/format-time.ts'
import { KeyValue } from '../../../ui/layout/key-value.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { SidePanel } from '../../../ui/layout/side-panel.tsx'
import { EmptyState } from '../../../ui/state/states.tsx'
import { WithPanel } from '../../../ui/layout/with-panel.tsx'
import { logColumns } from './log-columns.tsx'

const FILTERS = { level: '', q: '', log: '' }
const LOG_EXAMPLE = `execute: async ({ logger }) => logger.info('charging')`

export interface LogsTabProps {
  readonly record: ExecutionDetail
  readonly showStep: (stepId: string) => void
  /** Only records until this time, in milliseconds since the epoch. */
  readonly until: number | undefined
}

/** The log records of an execution, oldest first. */
export function LogsTab({ record, showStep, until }: LogsTabProps) {
  const [filters, setFilters] = useUrlState(FILTERS)
  const { id, createdAt } = record
  const { logs: all, error, refetch, older } = useRunLogs(id, filters)
  const current = useMemo(
    () => (until === undefined ? all : all?.filter(({ timestamp }) => Date.parse(timestamp) <= until)),
    [all, until],
  )
  const frame = useRef<HTMLDivElement>(null)
  const {
    records: logs,
    newCount,
    release,
  } = useStillRecords(frame, {
    records: current,
    view: JSON.stringify([id, filters.level, filters.q, until]),
  })
  const columns = useMemo(() => logColumns(Date.parse(createdAt)), [createdAt])
  const chosen = logs?.find((log) => log.id === filters.log)
  const stepId = chosen?.attributes['stepId']
  return (
    <>
      <FilterBar>
        <FilterSelect
          label="Level"
          value={filters.level}
          options={LOG_LEVELS_SHOWN}
          onChange={(level) => setFilters({ level })}
        />
        <FilterText label="Search" first value={filters.q} onChange={(q) => setFilters({ q })} />
        <span className="ml-auto flex items-center gap-3">
          {older && (
            <Button size="small" onClick={older}>
              Load older
            </Button>
          )}
          <Link to={`logs?executionId=${encodeURIComponent(id)}`}>All logs</Link>
        </span>
      </FilterBar>
      <WithPanel
        panel={
          chosen && (
            <SidePanel
              key={chosen.id}
              title={chosen.level}
              close={() => setFilters({ log: '' })}
              actions={
                typeof stepId === 'string' && (
                  <Button size="small" onClick={() => showStep(stepId)}>
                    Show step
                  </Button>
                )
              }
            >
              <p className="whitespace-pre-wrap break-words font-mono text-sm">{chosen.message}</p>
              <KeyValue
                rows={[
                  ['Time', exactTime(chosen.timestamp)],
                  [
                    'Span',
                    chosen.traceId !== null && chosen.spanId !== null && (
                      <Link to={`traces/${chosen.traceId}?span=${chosen.spanId}`}>{chosen.spanId}</Link>
                    ),
                  ],
                ]}
              />
              <JsonView value={chosen.attributes} label="Attributes" open={3} />
            </SidePanel>
          )
        }
      >
        <div ref={frame} className="relative flex min-h-0 flex-1 flex-col">
          <ListView
            label="Logs"
            columns={columns}
            count={error ? undefined : logs?.length}
            row={(index) => logs?.[index]}
            rowKey={(log) => log.id}
            chosenKey={filters.log}
            follow
            open={(log) => setFilters({ log: log.id })}
            error={error}
            retry={refetch}
            noun="log record"
            filtered={until !== undefined || filters.level !== '' || filters.q !== ''}
            empty={
              <EmptyState title="No log records" code={LOG_EXAMPLE}>
                Records that steps write with their logger are stored with the execution:
              </EmptyState>
            }
          />
          {newCount > 0 && <NewRecordsButton count={newCount} onClick={release} />}
        </div>
      </WithPanel>
    </>
  )
}
