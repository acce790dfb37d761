import { useMemo } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { isFinal } from '../../../../contract/is-final.ts'
import { useBreakpoints } from '../../../breakpoints/use-breakpoints.ts'
import { executionStates } from '../../../graph/step-states.ts'
import { pathInTree } from '../../../graph/step-tree.ts'
import { WorkflowGraph } from '../../../graph/workflow-graph.tsx'
import { Loading } from '../../../ui/state/states.tsx'
import type { StepsOfExecution } from '../use-execution-steps.ts'

export interface GraphViewProps {
  readonly record: ExecutionDetail
  readonly known: StepsOfExecution
  /** Key of the selected row of the tree. */
  readonly chosen: string
  readonly choose: (key: string) => void
  /** Whether steps can have breakpoints: not in a file, and not at an earlier moment. */
  readonly isLive: boolean
}

/** The graph of the workflow with the state of each step and, of functions, the calls that are recorded. */
export function GraphView({ record, known, chosen, choose, isLive }: GraphViewProps) {
  const { workflowName, steps: recorded } = record
  const { steps, ranks, placed, isPending } = known
  const states = useMemo(() => executionStates(record, placed), [record, placed])
  const breakpoints = useBreakpoints(record.pauseAt)
  if (isPending) return <Loading />
  // all rounds of a loop have one place in the graph
  const last = (place: string) => recorded.findLast(({ path }) => pathInTree(path, placed) === place)
  return (
    <div className="min-h-40 min-w-0 flex-1 max-sm:h-96">
      <WorkflowGraph
        label={`Steps of ${workflowName}`}
        steps={steps}
        ranks={ranks}
        states={states}
        chosen={chosen === '' ? undefined : pathInTree(chosen, placed)}
        onChoose={(place) => choose(last(place)?.path ?? place)}
        breakpoints={isLive && !isFinal(record.status) ? breakpoints : undefined}
      />
    </div>
  )
}
