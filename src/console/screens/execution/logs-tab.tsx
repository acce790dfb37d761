import { useMemo, useRef, useState } from 'react'
import type { RefObject } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../contract/endpoints/log.ts'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { LogDetails } from '../../logs/log-details.tsx'
import { LogText } from '../../logs/log-text.tsx'
import { NewRecordsButton } from '../../logs/log-toolbar.tsx'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SidePanel, WithPanel } from '../../ui/layout/side-panel.tsx'
import { LogLevelMark } from '../../ui/state/status-badge.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { exactTime, durationText } from '../../ui/time/format-time.ts'
import { LOG_LEVELS_SHOWN, useRunLogs } from './use-run-logs.ts'
import { useHold } from '../../ui/table/use-hold.ts'

interface StillRecords {
  readonly records: readonly LogRecord[] | undefined
  /** Number of records that are held back. */
  readonly newCount: number
  /** Shows them. */
  readonly release: () => void
}

type Current = Pick<StillRecords, 'records'> & {
  /** Identifies what is listed: held records of another view are not shown. */
  readonly view: string
}

/** The records of a list, which keep their places while the pointer is over it or text is selected. */
function useStillRecords(frame: RefObject<HTMLElement | null>, current: Current): StillRecords {
  const [held, setHeld] = useState<Current>()
  useHold(frame, (isHeld) => setHeld(isHeld ? current : undefined))
  const isHeld = held?.view === current.view && held.records !== undefined
  return {
    records: isHeld ? held.records : current.records,
    newCount: isHeld ? (current.records?.length ?? 0) - (held.records?.length ?? 0) : 0,
    release: () => setHeld(current),
  }
}

const FILTERS = { level: '', q: '', log: '' }
const LOG_EXAMPLE = `execute: async ({ logger }) => logger.info('charging')`

interface LogsTabProps {
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
              <LogDetails record={chosen} />
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

/** The columns of the log of an execution that started at `start`. */
function logColumns(start: number): readonly Column<LogRecord>[] {
  return [
    {
      name: 'After',
      width: '5.5rem',
      align: 'right',
      cell: ({ timestamp }) => (
        <span title={exactTime(timestamp)}>{durationText(Math.max(0, Date.parse(timestamp) - start))}</span>
      ),
    },
    { name: 'Level', width: '4rem', cell: ({ level }) => <LogLevelMark level={level} /> },
    {
      name: 'Step',
      width: 'minmax(5rem, 10rem)',
      cell: ({ attributes }) => (typeof attributes['stepId'] === 'string' ? attributes['stepId'] : ''),
    },
    {
      name: 'Message',
      width: 'minmax(10rem, 1fr)',
      cell: (log) => (
        <span className="font-mono text-sm">
          <LogText record={log} />
        </span>
      ),
    },
  ]
}
