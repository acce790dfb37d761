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

const WHOLE = ''

/** Two executions step by step. The first step that differs is marked, and shown at once. */
export function Comparison({ one, other }: ComparisonProps) {
  const pairs = useMemo(() => pairSteps(one, other), [one, other])
  const first = pairs.find(({ differs }) => differs.length > 0)?.path
  const [chosen, setChosen] = useState(first ?? WHOLE)
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
          <Link to={`executions/${encodeURIComponent(other.id)}`}>The other</Link>{' '}
          <StatusBadge status={other.status} />
        </span>
        <span className="text-dim">
          {count === 0 ? 'No step differs' : `${count} of ${pairs.length} steps differ, first ${first}`}
        </span>
        {one.definitionHash !== other.definitionHash && (
          <span className="text-suspended">They ran with different definitions</span>
        )}
        <button type="button" className="text-accent hover:underline" onClick={() => setChosen(WHOLE)}>
          Input and output of the whole
        </button>
      </p>
      <WithPanel
        panel={
          <SidePanel
            key={chosen}
            title={pair ? pair.path : 'The whole'}
            close={() => setChosen(WHOLE)}
            aside={<span className="text-sm text-dim">- this, + the other</span>}
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
        <JsonDiffView before={one?.input} after={other?.input} label="Differences of the input" />
      </Section>
      <Section title="Output">
        <JsonDiffView before={one?.output} after={other?.output} label="Differences of the output" />
      </Section>
      {(errors[0] !== undefined || errors[1] !== undefined) && (
        <Section title="Error">
          <JsonDiffView
            before={errors[0]}
            after={errors[1]}
            label="Differences of the error"
            same={errors[0] ?? ''}
          />
        </Section>
      )}
    </>
  )
}
