import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { Attempt } from '../../../../contract/fold-events.ts'
import { Link } from '../../../router/link.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { StatusIcon, statusText } from '../../../ui/state/status-badge.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { Duration } from '../../../ui/time/time.tsx'
import { searchedValue, searchText } from '../../../waterfall/tree-item.ts'
import type { SearchTexts, TreeItem } from '../../../waterfall/tree-item.ts'
import type { TreeStep } from '../step-tree.ts'
import { barsOf, busyOf, kindOfStep } from './step-bars.ts'

interface StepItemOptions {
  /** Now, in milliseconds since the epoch. */
  readonly now: number
  readonly attempts: readonly Attempt[]
  readonly isExpandable: boolean
  readonly texts: SearchTexts
  /** How much slower than usual steps were, by path. */
  readonly slow: ReadonlyMap<string, string>
  readonly isCopied: (step: StepRecord) => boolean
}

/** A step as a row of the tree. */
export function stepItem(one: TreeStep, options: StepItemOptions): TreeItem {
  const { step, depth } = one
  const { now, attempts, isExpandable, texts, slow } = options
  const { path, name, status, type, startTime, durationMs } = step
  const slowness = slow.get(path)
  const isCopied = options.isCopied(step)
  const attemptsText = step.attempts > 1 ? `, ${step.attempts} attempts` : ''
  return {
    key: path,
    kind: kindOfStep(step),
    isFailed: status === 'error',
    name,
    depth,
    isExpandable,
    isFaint: isCopied,
    description: `${type}, ${statusText(status)}${isCopied ? ', copied' : ''}${attemptsText}${slowness ? `, ${slowness} slower than usual` : ''}`,
    bars: barsOf(one, attempts, now),
    busy: busyOf(one, attempts, now),
    icon: <StatusIcon status={status} />,
    note: <StepNote step={step} slowness={slowness} isCopied={isCopied} />,
    aside:
      status === 'running' ? (
        <Duration since={startTime} />
      ) : status === 'skipped' ? (
        'skipped'
      ) : (
        <Duration ms={durationMs} />
      ),
    text: () => searchText(texts, step, () => searchedParts(step)),
  }
}

function searchedParts({ name, path, type, input, output, error }: StepRecord): string[] {
  return [name, path, type, searchedValue(input), searchedValue(output), searchedValue(error)]
}

interface StepNoteProps {
  readonly step: StepRecord
  readonly slowness: string | undefined
  readonly isCopied: boolean
}

/** What a row says after the name of the step. */
function StepNote({ step, slowness, isCopied }: StepNoteProps) {
  const { name, attempts, progress, childExecutionId } = step
  return (
    <>
      {isCopied && (
        <span aria-hidden="true" className="shrink-0 text-sm text-dim" title="Copied from the replayed run">
          copied
        </span>
      )}
      {attempts > 1 && (
        <span className="shrink-0 text-sm text-suspended" title={`${attempts} attempts`}>
          ×{attempts}
        </span>
      )}
      {progress?.failed !== undefined && (
        <span
          className="shrink-0 text-sm text-error"
          title={`${countText(progress.failed)} items have failed`}
        >
          {countText(progress.failed)} failed
        </span>
      )}
      {slowness !== undefined && (
        <span className="shrink-0 text-sm text-suspended" title={`${slowness} slower than usual`}>
          {slowness} slower
        </span>
      )}
      {childExecutionId !== undefined && (
        <Link
          to={`executions/${encodeURIComponent(childExecutionId)}`}
          tabIndex={-1}
          label={`Run of ${name}`}
          className="text-accent"
          title="Child run"
        >
          <Icon name="external" />
        </Link>
      )}
    </>
  )
}
