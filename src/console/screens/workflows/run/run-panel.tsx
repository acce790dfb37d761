import { useRef, useState } from 'react'
import type { WorkflowDetail } from '../../../../contract/endpoints/workflow.ts'
import type { FollowedExecution } from '../../../execution/use-execution.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { RunFormView } from './run-form-view.tsx'
import { RunProgress } from './run-progress.tsx'
import { useStart } from './use-start.ts'

export interface RunPanelProps {
  readonly workflow: WorkflowDetail
  readonly followed: FollowedExecution
  /** The followed execution; empty for none. */
  readonly executionId: string
  readonly follow: (executionId: string) => void
  readonly chooseStep: (stepId: string) => void
}

/** Whether a request can start it. */
export function canStart({ served, startedBy }: WorkflowDetail): boolean {
  return served && startedBy !== 'code'
}

/** The execution whose input was put into the form. */
const INPUT_OF = { inputOf: '' }

/** Runs the workflow and shows the execution: events, resume form, result or error. */
export function RunPanel({ workflow, followed, executionId, follow, chooseStep }: RunPanelProps) {
  const [{ inputOf }] = useUrlState(INPUT_OF)
  const [isOpen, setOpen] = useState(executionId === '')
  const panel = useRef<HTMLElement>(null)
  const start = useStart(workflow.id, (id) => {
    // the focused field is collapsed or the focused button disabled: keeps the focus in the panel
    const { activeElement, body } = document
    if (activeElement === body || panel.current?.contains(activeElement))
      panel.current?.focus({ preventScroll: true })
    setOpen(false)
    follow(id)
  })
  return (
    <section
      ref={panel}
      aria-label="Run"
      tabIndex={0}
      className="shrink-0 border-line outline-offset-[-2px] lg:w-96 lg:overflow-auto lg:border-l xl:w-[27rem]"
    >
      {canStart(workflow) ? (
        <RunFormView
          // a changed schema, or the input of another execution, creates a new form with the stored input
          key={`${inputOf} ${JSON.stringify(workflow.inputSchema)}`}
          workflow={workflow}
          start={start}
          isOfRun={inputOf !== ''}
          isOpen={isOpen}
          setOpen={setOpen}
        />
      ) : (
        <p className="p-4 text-dim">Only code and steps of other workflows start this workflow.</p>
      )}
      {executionId !== '' && (
        <RunProgress
          key={executionId}
          executionId={executionId}
          followed={followed}
          close={() => {
            follow('')
            setOpen(true)
          }}
          chooseStep={chooseStep}
        />
      )}
    </section>
  )
}
