import { useMemo } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import type { RecordedEvent } from '../../../contract/event.ts'
import { eventTime } from '../../../contract/fold-events.ts'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { shortJson } from '../../json/parse-json.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SidePanel, WithPanel } from '../../ui/layout/side-panel.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusIcon } from '../../ui/state/status-badge.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { countText, durationText, exactTime } from '../../ui/time/format-time.ts'

const FILTERS = { type: '', find: '', event: '' }

export interface EventsTabProps {
  readonly record: ExecutionDetail
  readonly showStep: (stepId: string) => void
}

/** The events of an execution, updated live. */
export function EventsTab({ record, showStep }: EventsTabProps) {
  const [filters, setFilters] = useUrlState(FILTERS)
  const { events, createdAt } = record
  const types = useMemo(() => [...new Set(events.map(({ type }) => type))], [events])
  const columns = useMemo(() => eventColumns(Date.parse(createdAt)), [createdAt])
  const shown = useMemo(() => filterEvents(events, filters), [events, filters.type, filters.find])
  const chosen = events.find(({ id }) => id === filters.event)
  return (
    <>
      <FilterBar>
        <FilterSelect
          label="Type"
          value={filters.type}
          options={types}
          onChange={(type) => setFilters({ type })}
        />
        <FilterText label="Search" first value={filters.find} onChange={(find) => setFilters({ find })} />
        <span className="ml-auto text-sm text-dim">
          {shown.length === events.length
            ? `${countText(events.length)} events`
            : `${countText(shown.length)} of ${countText(events.length)} events`}
        </span>
      </FilterBar>
      <WithPanel
        panel={
          chosen && (
            <SidePanel
              key={chosen.id}
              title={`${chosen.id} ${chosen.type}`}
              close={() => setFilters({ event: '' })}
              actions={
                chosen.type.startsWith('step-') && (
                  <Button size="small" onClick={() => showStep(chosen.from)}>
                    Show step
                  </Button>
                )
              }
            >
              <JsonView value={chosen} label={`Event ${chosen.id}`} open={3} />
            </SidePanel>
          )
        }
      >
        {shown.length === 0 ? (
          <EmptyState title={events.length === 0 ? 'No events yet' : 'No events match these filters'} />
        ) : (
          <DataTable
            label="Events"
            columns={columns}
            count={shown.length}
            row={(index) => shown[index]}
            rowKey={({ id }) => id}
            chosenKey={filters.event}
            follow
            open={({ id }) => setFilters({ event: id })}
          />
        )}
      </WithPanel>
    </>
  )
}

function filterEvents(
  events: readonly RecordedEvent[],
  { type, find }: typeof FILTERS,
): readonly RecordedEvent[] {
  if (type === '' && find === '') return events
  const words = find.toLowerCase().split(/\s+/)
  return events.filter((event) => {
    if (type !== '' && event.type !== type) return false
    if (find === '') return true
    const text = JSON.stringify(event).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The columns of the events of an execution that started at `start`. */
function eventColumns(start: number): readonly Column<RecordedEvent>[] {
  return [
    { name: '#', width: '3.5rem', align: 'right', cell: ({ id }) => <span className="text-dim">{id}</span> },
    {
      name: 'After',
      width: '5.5rem',
      align: 'right',
      cell: (event) => (
        <span title={exactTime(eventTime(event))}>{durationText(eventTime(event) - start)}</span>
      ),
    },
    {
      name: 'Type',
      width: '11rem',
      cell: ({ type, status }) => (
        <span className="inline-flex items-center gap-1.5 align-top">
          <StatusIcon status={status} />
          {type}
        </span>
      ),
    },
    {
      name: 'From',
      width: 'minmax(6rem, 1fr)',
      cell: ({ name, from }) => (name === from ? from : `${from}: ${name}`),
    },
    {
      name: 'Attempt',
      width: '4.5rem',
      align: 'right',
      cell: (event) => (typeof event['attempt'] === 'number' ? event['attempt'] : ''),
    },
    {
      name: 'Data',
      width: 'minmax(8rem, 3fr)',
      cell: (event) => <span className="font-mono text-sm text-dim">{shortJson(dataOf(event))}</span>,
    },
  ]
}

/** The payload of an event. */
function dataOf(event: RecordedEvent): unknown {
  for (const key of ['error', 'output', 'result', 'resumeData', 'data', 'reason', 'input'])
    if (event[key] !== undefined && event[key] !== null) return event[key]
  return undefined
}
