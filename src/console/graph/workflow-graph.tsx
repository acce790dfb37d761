import { useEffect, useMemo, useState } from 'react'
import type { ComponentType } from 'react'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { errorMessage } from '../api/request-failure.ts'
import type { Breakpoints } from '../breakpoints/use-breakpoints.ts'
import type { GraphCanvasProps } from './graph-canvas.tsx'
import { StepOutline } from './step-outline.tsx'
import type { StepStates } from './step-states.ts'
import { flattenSteps } from './step-tree.ts'
import type { CallRanks } from './step-tree.ts'

export interface WorkflowGraphProps {
  /** Accessible name of the graph and its list: `Steps of Order`. */
  readonly label: string
  /** The steps from `getWorkflow`. A new array causes a new layout. */
  readonly steps: readonly StepDescription[]
  /** Of the recorded calls among them: which of them ran at the same time. */
  readonly ranks?: CallRanks
  /** States of the steps of an execution, by path. */
  readonly states?: StepStates
  /** Path of the selected step, which is scrolled into view. */
  readonly chosen?: string | undefined
  /** Called on a click in the graph, and on a click, Enter or Space in the list. */
  readonly onChoose: (path: string) => void
  /** Steps can have breakpoints. */
  readonly breakpoints?: Breakpoints | undefined
}

const NONE: StepStates = new Map()

/**
 * The steps of a workflow as a graph, with a list beside it (above it in narrow containers). It fills the height of
 * its parent. The code of the graph is loaded when it is first shown.
 *
 *     <WorkflowGraph label="Steps of Order" steps={workflow.steps} states={stepStates(record.steps)}
 *       chosen={step} onChoose={(step) => set({ step })} />
 *
 * `stepStates` (step-states.ts) takes the steps of an execution record; `executionSteps` (step-tree.ts) adds the recorded
 * calls of an execution to the declared steps, and makes all of a record whose workflow no longer exists.
 */
export function WorkflowGraph({
  label,
  steps,
  ranks,
  states = NONE,
  chosen,
  onChoose,
  breakpoints,
}: WorkflowGraphProps) {
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
          aria-label={`${label}, list`}
          tabIndex={-1}
          className="max-h-2/5 shrink-0 overflow-auto border-b border-line @2xl:max-h-none @2xl:w-60 @2xl:border-r @2xl:border-b-0"
        >
          <StepOutline
            label={label}
            placed={placed}
            states={states}
            chosen={chosen}
            onChoose={onChoose}
            breakpoints={breakpoints}
          />
        </div>
        <div className="min-h-0 min-w-0 flex-1">
          {Canvas && <Canvas {...{ label, steps, ranks, placed, states, chosen, onChoose, breakpoints }} />}
          {failure !== undefined && (
            <p className="p-4 text-dim">The graph could not be loaded: {errorMessage(failure)}</p>
          )}
        </div>
      </div>
    </div>
  )
}
