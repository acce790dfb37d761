import { useId, useState, useMemo } from 'react'
import type { ExecutionDetail, ExecutionRecord, StepRecord } from '../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { JsonDiffView } from '../../json/json-diff-view.tsx'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Select } from '../../ui/controls/select.tsx'
import type { SelectOption } from '../../ui/controls/select.tsx'
import { FIELD } from '../../ui/controls/text-field.tsx'
import { Section, SidePanel, WithPanel } from '../../ui/layout/side-panel.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { statusText, StatusBadge } from '../../ui/state/status-badge.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { exactTime } from '../../ui/time/format-time.ts'
import { Duration } from '../../ui/time/time.tsx'
import { pairSteps } from './pair-steps.ts'
import type { StepPair } from './pair-steps.ts'
import { useTopic } from '../../live/use-topic.ts'

const STATE = { with: '' }

/** Comparison with another execution: of a replay with the replayed one, until another is chosen. */
export function CompareView({ record }: { readonly record: ExecutionDetail }) {
  const [{ with: chosen }, set] = useUrlState(STATE)
  const id = chosen === '' ? (record.forkedFrom?.executionId ?? '') : chosen
  return (
    <>
      <ComparePicker record={record} chosen={id} choose={(other) => set({ with: other })} />
      {id === '' ? (
        <EmptyState title="Select a run to compare with">
          The steps of both runs are shown side by side, with their differences.
        </EmptyState>
      ) : (
        <Loaded record={record} id={id} />
      )}
    </>
  )
}

function Loaded({ record, id }: { readonly record: ExecutionDetail; readonly id: string }) {
  const { data, error, refetch } = useEndpoint('observeExecution', { params: { executionId: id } })
  if (data) return <Comparison one={record} other={data} />
  return <Pending error={error} retry={refetch} />
}

interface ComparePickerProps {
  readonly record: ExecutionDetail
  readonly chosen: string
  readonly choose: (id: string) => void
}

/** Selects the execution to compare with: the replayed one, replays, recent ones of the workflow, or any by its id. */
function ComparePicker({ record, chosen, choose }: ComparePickerProps) {
  const { id, workflowId, workflowName, forkedFrom } = record
  const { data = [] } = useEndpoint('observeExecutions', { query: { workflowId, limit: '50' } })
  const replays = useReplays(id, true)
  const [typed, setTyped] = useState('')
  const selectId = useId()
  const shown = new Set([id, forkedFrom?.executionId, ...replays.map((one) => one.id)])
  const recent = data.filter((one) => !shown.has(one.id))
  return (
    <form
      aria-label="Other run"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') choose(typed.trim())
      }}
    >
      <span className="flex min-w-0 items-center gap-1.5 whitespace-nowrap text-sm text-dim">
        <label htmlFor={selectId}>Compare with</label>
        <Select
          id={selectId}
          value={chosen}
          options={[
            forkedFrom
              ? { value: forkedFrom.executionId, text: `replayed run: ${forkedFrom.executionId}` }
              : { value: '', text: 'select' },
          ]}
          groups={[
            { label: 'Replays', options: replays.map(optionOf) },
            { label: `Recent runs of ${workflowName}`, options: recent.map(optionOf) },
          ].filter(({ options }) => options.length > 0)}
          onChange={choose}
          className="max-w-96"
        />
      </span>
      <input
        aria-label="Run id"
        placeholder="or enter an id"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        spellCheck={false}
        autoComplete="off"
        className={`${FIELD} max-w-80 font-mono`}
      />
      <Button type="submit" size="small" disabled={typed.trim() === ''}>
        Compare
      </Button>
    </form>
  )
}

function optionOf({ id, status, createdAt }: ExecutionRecord): SelectOption {
  return { value: id, text: `${exactTime(createdAt).slice(5, 19)}  ${statusText(status)}  …${id.slice(-8)}` }
}

interface ComparisonProps {
  readonly one: ExecutionDetail
  readonly other: ExecutionDetail
}

/** Selects the execution itself. */
const EXECUTION = ''

/** Two executions step by step. The first step with differences is marked and selected. */
function Comparison({ one, other }: ComparisonProps) {
  const pairs = useMemo(() => pairSteps(one, other), [one, other])
  const first = pairs.find(({ differs }) => differs.length > 0)?.path
  const [chosen, setChosen] = useState(first ?? EXECUTION)
  const columns = useMemo(() => compareColumns(first), [first])
  const pair = pairs.find(({ path }) => path === chosen)
  // the differences lead from the older execution to the newer one
  const isNewer = one.createdAt > other.createdAt
  const count = pairs.filter(({ differs }) => differs.length > 0).length
  return (
    <>
      <p className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2">
        <span className="flex items-center gap-1.5">
          This <StatusBadge status={one.status} />
        </span>
        <span className="flex items-center gap-1.5">
          <Link to={`executions/${encodeURIComponent(other.id)}`}>Other</Link>{' '}
          <StatusBadge status={other.status} />
        </span>
        <span className="text-dim">
          {count === 0 ? 'No steps differ' : `${count} of ${pairs.length} steps differ, first: ${first}`}
        </span>
        {one.definitionHash !== other.definitionHash && (
          <span className="text-suspended">The workflow definitions differ</span>
        )}
        <button type="button" className="text-accent hover:underline" onClick={() => setChosen(EXECUTION)}>
          Compare input and output
        </button>
      </p>
      <WithPanel
        panel={
          <SidePanel
            key={chosen}
            title={pair ? pair.path : 'Run'}
            close={() => setChosen(EXECUTION)}
            aside={
              <span className="text-sm text-dim">{isNewer ? '- other, + this' : '- this, + other'}</span>
            }
          >
            {isNewer ? (
              <Sides before={pair ? pair.other : other} after={pair ? pair.one : one} />
            ) : (
              <Sides before={pair ? pair.one : one} after={pair ? pair.other : other} />
            )}
          </SidePanel>
        }
      >
        <DataTable
          label="Steps side by side"
          columns={columns}
          count={pairs.length}
          row={(index) => pairs[index]}
          rowKey={({ path }) => path}
          chosenKey={chosen}
          open={({ path }) => setChosen(path)}
        />
      </WithPanel>
    </>
  )
}

interface Side {
  readonly input: unknown
  readonly output?: unknown
  readonly error?: { readonly name: string; readonly message: string } | undefined
}

function Sides({ before, after }: { readonly before: Side | undefined; readonly after: Side | undefined }) {
  const errors = [before?.error, after?.error].map((error) => error && `${error.name}: ${error.message}`)
  return (
    <>
      <Section title="Input">
        <JsonDiffView before={before?.input} after={after?.input} label="Input differences" />
      </Section>
      <Section title="Output">
        <JsonDiffView before={before?.output} after={after?.output} label="Output differences" />
      </Section>
      {(errors[0] !== undefined || errors[1] !== undefined) && (
        <Section title="Error">
          <JsonDiffView
            before={errors[0]}
            after={errors[1]}
            label="Error differences"
            same={errors[0] ?? ''}
          />
        </Section>
      )}
    </>
  )
}

/** The columns of a comparison; `first` is the path of the first step with differences. */
function compareColumns(first: string | undefined): readonly Column<StepPair>[] {
  return [
    { name: 'Step', width: 'minmax(6rem, 1fr)', cell: (pair) => <StepName {...pair} /> },
    { name: 'This', width: '7rem', cell: ({ one }) => one && <StatusBadge status={one.status} /> },
    { name: 'Duration', width: '5rem', align: 'right', cell: ({ one }) => duration(one) },
    { name: 'Other', width: '7rem', cell: ({ other }) => other && <StatusBadge status={other.status} /> },
    { name: 'Other duration', width: '7rem', align: 'right', cell: ({ other }) => duration(other) },
    {
      name: 'Differences',
      width: 'minmax(12rem, 2fr)',
      cell: ({ path, differs }) => (
        <>
          {path === first && (
            <strong className="mr-2 rounded-sm bg-warning-panel px-1 text-sm text-suspended">
              first difference
            </strong>
          )}
          {differs.join(', ')}
        </>
      ),
    },
  ]
}

function StepName({ path, one, other }: StepPair) {
  const name = one?.name ?? other?.name ?? path
  return <span title={path}>{name === path.split('/').at(-1) ? path : `${name} · ${path}`}</span>
}

function duration(step: StepRecord | undefined) {
  return step && <Duration ms={step.durationMs} />
}

/** The executions that replay this one. */
export function useReplays(id: string, stored: boolean): readonly ExecutionRecord[] {
  const { data = [], refetch } = useEndpoint(
    'observeExecutions',
    { query: { forkedFrom: id, limit: '50' } },
    { enabled: stored },
  )
  useTopic(stored ? 'executions' : undefined, {
    onFrame: ({ data: changed }) => {
      if ((changed as ExecutionRecord).forkedFrom?.executionId === id) void refetch()
    },
  })
  return data
}
