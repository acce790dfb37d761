import { useMemo } from 'react'
import type { StepStatistics } from '../../../contract/endpoints/statistics.ts'
import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { runCommand } from '../../code/request-code.ts'
import { flattenSteps, pathInTree } from '../../graph/step-tree.ts'
import { Link } from '../../router/link.tsx'
import { costText } from '../../usage/cost-table.tsx'
import { shortText } from '../../statistics/slowness.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { countText } from '../../ui/time/format-time.ts'

interface Row extends StepStatistics {
  readonly name: string
  readonly depth: number
  /** Path in the declaration; undefined for a step that is no longer part of the workflow. */
  readonly declared: string | undefined
}

/** Durations, runs, errors and costs of the steps in the last days. */
export function StatisticsTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  const { id, steps } = workflow
  const { data, error, refetch } = useEndpoint('getWorkflowStatistics', { params: { id } })
  const rows = useMemo(() => data && rowsOf(data.steps, steps), [data, steps])
  const command = runCommand(workflow)
  const hasCosts = rows?.some(({ costs }) => costs !== null) ?? false
  return (
    <>
      {rows && rows.length > 0 && data && (
        <p className="shrink-0 border-b border-line bg-panel px-4 py-1.5 text-sm text-dim">
          Today and the 7 days before. Durations within {Math.round(data.precision * 100)} %, retries
          included; steps that waited have none.
        </p>
      )}
      <ListView
        label="Statistics of steps"
        columns={hasCosts ? [...columnsOf(id), COST] : columnsOf(id)}
        count={rows?.length}
        row={(index) => rows?.[index]}
        rowKey={({ step }) => step}
        error={error}
        retry={refetch}
        noun="step"
        filtered={false}
        empty={
          <EmptyState
            title="No steps have ended in the last 7 days"
            {...(command !== undefined && { code: command })}
          >
            Run the workflow to see how long its steps take, how often they fail and what they cost
            {command === undefined ? '.' : ':'}
          </EmptyState>
        }
      />
    </>
  )
}

const COST: Column<Row> = {
  name: 'Cost',
  width: 'minmax(6rem, 12rem)',
  align: 'right',
  cell: ({ costs }) =>
    costs ? <span title={costText(costs)}>{costText(costs)}</span> : <span className="text-dim">–</span>,
}

function columnsOf(workflowId: string): Column<Row>[] {
  const steps = `workflows/${encodeURIComponent(workflowId)}?tab=steps&step=`
  return [
    {
      name: 'Step',
      width: 'minmax(10rem, 1fr)',
      cell: ({ name, step, depth, declared }) => (
        <span className="truncate" style={{ paddingLeft: depth * 16 }} title={step}>
          {declared === undefined ? (
            <>
              {name} <span className="text-dim">(removed)</span>
            </>
          ) : (
            <Link to={`${steps}${encodeURIComponent(declared)}`} className="text-accent">
              {name}
            </Link>
          )}
        </span>
      ),
    },
    { name: 'Median', width: '6rem', align: 'right', cell: ({ p50Ms }) => timeText(p50Ms) },
    { name: '95 %', width: '6rem', align: 'right', cell: ({ p95Ms }) => timeText(p95Ms) },
    { name: 'Runs', width: '5.5rem', align: 'right', cell: ({ runs }) => countText(runs) },
    {
      name: 'Errors',
      width: '8rem',
      align: 'right',
      cell: ({ errors, runs }) =>
        errors === 0 ? (
          <span className="text-dim">0</span>
        ) : (
          <span className="text-error">
            {countText(errors)} ({shareText(errors / runs)})
          </span>
        ),
    },
  ]
}

function timeText(ms: number | null) {
  return ms === null ? <span className="text-dim">–</span> : shortText(ms)
}

function shareText(share: number): string {
  return share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`
}

/** In the order of the declaration; steps that were removed come last. */
function rowsOf(statistics: readonly StepStatistics[], steps: WorkflowDetail['steps']): Row[] {
  const placed = flattenSteps(steps)
  const rows = statistics.map((one) => {
    const path = pathInTree(one.step.replaceAll('[]', '[0]'), placed)
    const index = placed.findIndex((flat) => flat.path === path)
    const flat = placed[index]
    const name = flat?.step.name ?? one.step
    return { index, row: { ...one, name, depth: flat?.depth ?? 0, declared: flat?.path } }
  })
  const order = (index: number) => (index === -1 ? Infinity : index)
  return rows.toSorted((one, other) => order(one.index) - order(other.index)).map(({ row }) => row)
}
