import { useMemo } from 'react'
import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { BreakpointBar } from '../../breakpoints/breakpoint-dot.tsx'
import { useBreakpoints } from '../../breakpoints/use-breakpoints.ts'
import { executionStates } from '../../graph/step-states.ts'
import { flattenSteps } from '../../graph/step-tree.ts'
import { WorkflowGraph } from '../../graph/workflow-graph.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useExecution } from '../../execution/use-execution.ts'
import { RunPanel } from './run/run-panel.tsx'
import { StepDetails } from './step-details.tsx'

const STATE = { step: '', execution: '' }

/** The graph of the workflow with the state of an execution, and the run panel. */
export function GraphTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  const [{ step, execution }, set] = useUrlState(STATE)
  const { name, steps } = workflow
  const followed = useExecution(execution)
  const { record } = followed
  const placed = useMemo(() => flattenSteps(steps), [steps])
  const states = useMemo(() => executionStates(record, placed), [record, placed])
  const breakpoints = useBreakpoints(record?.pauseAt)
  const chosen = placed.find(({ path }) => path === step)
  const chooseById = (stepId: string) => {
    const found = placed.find((one) => one.step.id === stepId)
    if (found) set({ step: found.path })
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto lg:flex-row lg:overflow-hidden">
      <div className="flex h-96 shrink-0 flex-col border-b border-line lg:h-auto lg:min-w-0 lg:flex-1 lg:shrink lg:border-b-0">
        <BreakpointBar breakpoints={breakpoints} />
        <div className="min-h-0 flex-1">
          <WorkflowGraph
            label={`Steps of ${name}`}
            steps={steps}
            states={states}
            chosen={chosen?.path}
            breakpoints={breakpoints}
            onChoose={(path) => set({ step: path === step ? '' : path })}
          />
        </div>
        {chosen && (
          <StepDetails
            key={chosen.path}
            placed={chosen}
            record={record?.steps.find(({ path }) => path === chosen.path)}
            close={() => set({ step: '' })}
          />
        )}
      </div>
      <RunPanel
        workflow={workflow}
        followed={followed}
        executionId={execution}
        follow={(id) => set({ execution: id })}
        chooseStep={chooseById}
      />
    </div>
  )
}
