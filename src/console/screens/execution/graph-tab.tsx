import { useMemo } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { isFinal } from '../../../contract/is-final.ts'
import { useBreakpoints } from '../../breakpoints/use-breakpoints.ts'
import { executionStates } from '../../graph/step-states.ts'
import { pathInTree } from '../../graph/step-tree.ts'
import { WorkflowGraph } from '../../graph/workflow-graph.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useUsualTimes } from '../../statistics/use-usual-times.ts'
import { Loading } from '../../ui/state/states.tsx'
import { Attempts } from '../../../contract/fold-events.ts'
import { StepPanel } from './timeline/step-panel.tsx'
import { useExecutionSteps } from './use-execution-steps.ts'

export interface GraphTabProps {
  readonly record: ExecutionDetail
  /** Undefined for a read-only execution. */
  readonly replay: ((stepId: string) => void) | undefined
  /** Whether the record is that of an earlier moment. */
  readonly isPast: boolean
}

/** The graph of the workflow with the state of each step and, of functions, the calls that are recorded. */
export function GraphTab({ record, replay, isPast }: GraphTabProps) {
  const [{ step }, set] = useUrlState({ step: '' })
  const { workflowName, steps: recorded } = record
  const { steps, ranks, placed, isPending } = useExecutionSteps(record, replay !== undefined)
  const states = useMemo(() => executionStates(record, placed), [record, placed])
  const usual = useUsualTimes(record, replay !== undefined)
  const breakpoints = useBreakpoints(record.pauseAt)
  const chosen = recorded.findLast(({ path }) => pathInTree(path, placed) === step)
  if (isPending) return <Loading />
  return (
    <div className="flex min-h-0 flex-1 flex-col xl:flex-row">
      <div className="min-h-40 min-w-0 flex-1">
        <WorkflowGraph
          label={`Steps of ${workflowName}`}
          steps={steps}
          ranks={ranks}
          states={states}
          chosen={step === '' ? undefined : step}
          onChoose={(path) => set({ step: path })}
          breakpoints={replay && !isPast && !isFinal(record.status) ? breakpoints : undefined}
        />
      </div>
      {chosen && (
        <StepPanel
          key={chosen.path}
          step={chosen}
          attempts={new Attempts(record.events).of(chosen)}
          record={record}
          usual={usual}
          close={() => set({ step: '' })}
          {...(replay && { replay: () => replay(chosen.stepId) })}
        />
      )}
    </div>
  )
}
