import { useId, useState } from 'react'
import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { readJson } from '../json/parse-json.ts'
import { useResume } from '../execution/use-resume.ts'
import { useUnsaved } from '../form/use-form.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { JsonView } from '../json/json-view.tsx'
import { useKeys } from '../keys/use-keys.ts'
import { Button } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Time } from '../ui/time/time.tsx'
import { useBreakpoints } from './use-breakpoints.ts'

/** Longer data is not edited here. */
const MAX_EDITED_CHARS = 200_000

export interface BreakpointPanelProps {
  readonly record: ExecutionDetail
  readonly refetch: () => void
}

/** An execution at a breakpoint: the data of the step, which can be edited, and the ways to continue. */
export function BreakpointPanel({ record, refetch }: BreakpointPanelProps) {
  const id = useId()
  const { suspension, pauseAt } = record
  const original = JSON.stringify(suspension?.data ?? null, null, 2)
  const [text, setText] = useState(original)
  const { ids } = useBreakpoints(pauseAt)
  const { resume, isPending, validationMessage } = useResume(record, refetch)
  const isEdited = text !== original
  useUnsaved(isEdited)
  const { value: data, problem } = readJson(text)
  const disabled = isPending || problem !== undefined
  const continueRun = (each: boolean) => {
    if (disabled) return
    const breakpoints = [...ids].filter((one) => one !== EVERY_STEP)
    resume({
      options: {
        stepId: suspension?.stepId,
        ...(isEdited && { data }),
        pauseAt: each ? [EVERY_STEP, ...breakpoints] : breakpoints,
      },
    })
  }
  useKeys([
    { keys: 'n', label: 'Run to the next step', group: 'Run', run: () => continueRun(true) },
    { keys: 'mod+Enter', label: 'Run to the next step', group: 'Run', run: () => continueRun(true) },
  ])
  return (
    <section
      aria-labelledby={id}
      data-resume=""
      className="max-h-[45%] shrink-0 overflow-auto border-b border-line bg-warning-panel px-4 py-2"
      tabIndex={0}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={id} className="flex min-w-0 items-center gap-1.5 font-semibold">
          <Icon name="suspended" className="shrink-0 text-suspended" />
          <span className="min-w-0 break-words">
            Paused before <bdi>{suspension?.stepId}</bdi>
          </span>
        </h2>
        <span className="text-sm text-dim">{suspension && <Time at={suspension.suspendedAt} />}</span>
        <span className="ml-auto flex items-center gap-2">
          <Button kind="primary" onClick={() => continueRun(true)} disabled={disabled} keys="n">
            Run to the next step
          </Button>
          <Button onClick={() => continueRun(false)} disabled={disabled}>
            {ids.size === 0 || (ids.size === 1 && ids.has(EVERY_STEP))
              ? 'Run to the end'
              : 'Run to the next breakpoint'}
          </Button>
        </span>
      </div>
      {validationMessage !== undefined && (
        <p role="alert" className="pt-1 text-sm text-error">
          {validationMessage}
        </p>
      )}
      <div className="pt-2">
        {original.length > MAX_EDITED_CHARS ? (
          <>
            <p className="pb-1 text-sm text-dim">
              The data is too large to be edited here: use resume-workflow --step-data @file
            </p>
            <JsonView value={suspension?.data} label="Data of the step" />
          </>
        ) : (
          <>
            <JsonEditor
              label="Data of the step"
              value={text}
              onChange={setText}
              onSubmit={() => continueRun(true)}
              error={problem}
            />
            {isEdited && (
              <Button size="small" onClick={() => setText(original)}>
                Restore data
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  )
}
