import { useMemo, useState } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { JsonDiffView } from '../../../json/json-diff-view.tsx'
import { Link } from '../../../router/link.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { Section, SidePanel } from '../../../ui/layout/side-panel.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { WithPanel } from '../../../ui/layout/with-panel.tsx'
import { compareColumns } from './compare-columns.tsx'
import { pairSteps } from './pair-steps.ts'

export interface ComparisonProps {
  readonly one: ExecutionDetail
  readonly other: ExecutionDetail
}

/** Selects the execution itself. */
const EXECUTION = ''

/** Two executions step by step. The first step with differences is marked and selected. */
export function Comparison({ one, other }: ComparisonProps) {
  const pairs = useMemo(() => pairSteps(one, other), [one, other])
  const first = pairs.find(({ differs }) => differs.length > 0)?.path
  const [chosen, setChosen] = useState(first ?? EXECUTION)
  const columns = useMemo(() => compareColumns(first), [first])
  const pair = pairs.find(({ path }) => path === chosen)
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
            title={pair ? pair.path : 'Execution'}
            close={() => setChosen(EXECUTION)}
            aside={<span className="text-sm text-dim">- this, + other</span>}
          >
            <Sides one={pair ? pair.one : one} other={pair ? pair.other : other} />
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

function Sides({ one, other }: { readonly one: Side | undefined; readonly other: Side | undefined }) {
  const errors = [one?.error, other?.error].map((error) => error && `${error.name}: ${error.message}`)
  return (
    <>
      <Section title="Input">
        <JsonDiffView before={one?.input} after={other?.input} label="Input differences" />
      </Section>
      <Section title="Output">
        <JsonDiffView before={one?.output} after={other?.output} label="Output differences" />
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
