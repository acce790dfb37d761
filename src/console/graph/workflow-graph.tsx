import { useEffect, useMemo, useState } from 'react'
import type { ComponentType } from 'react'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { errorMessage } from '../api/request-failure.ts'
import type { GraphCanvasProps } from './graph-canvas.tsx'
import { StepOutline } from './step-outline.tsx'
import type { StepStates } from './step-states.ts'
import { flattenSteps } from './step-tree.ts'

export interface WorkflowGraphProps {
  /** Names the graph and its list: `Steps of Order`. */
  readonly label: string
  /** As `getWorkflow` describes them; the same array as long as nothing changed, since it is laid out anew. */
  readonly steps: readonly StepDescription[]
  /** How the steps of one execution stand, by path; none for a workflow at rest. */
  readonly states?: StepStates
  /** Path of the step that stands out, and is brought into view. */
  readonly chosen?: string | undefined
  /** A click in the graph, or a click, Enter or Space in the list. */
  readonly onChoose: (path: string) => void
}

const NONE: StepStates = new Map()

/**
 * The steps of a workflow as a graph, beside them (below in narrow places) the same as a list. It fills its
 * parent, which gives it a height. The code that draws comes when it is first shown.
 *
 *     <WorkflowGraph label="Steps of Order" steps={workflow.steps} states={recordedStates(record.steps)}
 *       chosen={step} onChoose={(step) => set({ step })} />
 *
 * `recordedStates` (step-states.ts) takes the steps of an execution's record; `recordedSteps` (step-tree.ts)
 * makes steps of a record whose workflow is not there any more.
 */
export function WorkflowGraph({ label, steps, states = NONE, chosen, onChoose }: WorkflowGraphProps) {
  const placed = useMemo(() => flattenSteps(steps), [steps])
  const [Canvas, setCanvas] = useState<ComponentType<GraphCanvasProps>>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    import('./graph-canvas.tsx').then(
      ({ GraphCanvas }) => setCanvas(() => GraphCanvas),
      (error: unknown) => setFailure(error),
    )
  }, [])
  return (
    <div className="@container size-full min-h-0">
      <div className="flex size-full flex-col @2xl:flex-row">
        <div
          role="region"
          aria-label={`${label}, as a list`}
          tabIndex={-1}
          className="max-h-2/5 shrink-0 overflow-auto border-b border-line @2xl:max-h-none @2xl:w-60 @2xl:border-r @2xl:border-b-0"
        >
          <StepOutline label={label} placed={placed} states={states} chosen={chosen} onChoose={onChoose} />
        </div>
        <div className="min-h-0 min-w-0 flex-1">
          {Canvas && <Canvas {...{ label, steps, placed, states, chosen, onChoose }} />}
          {failure !== undefined && (
            <p className="p-4 text-dim">The graph can not be drawn: {errorMessage(failure)}</p>
          )}
        </div>
      </div>
    </div>
  )
}
