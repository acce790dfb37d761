import { useMemo } from 'react'
import type { ExecutionDetail, StepRecord } from '../../../../contract/endpoints/execution.ts'
import { Link } from '../../../router/link.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useTick } from '../../../ui/time/use-now.ts'
import { StatusIcon, statusText } from '../../../ui/state/status-badge.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { Duration } from '../../../ui/time/time.tsx'
import { timeScale } from '../../../waterfall/time-scale.ts'
import type { TimeScale } from '../../../waterfall/time-scale.ts'
import type { WaterfallRow } from '../../../waterfall/waterfall-row.ts'
import { Attempts } from '../../../../contract/fold-events.ts'
import { isFinal } from '../../../../contract/is-final.ts'
import { hookSteps, declarationOrder, stepTree } from '../step-tree.ts'
import type { TreeStep } from '../step-tree.ts'
import type { FlatStep } from '../../../graph/step-tree.ts'
import { barsOf, busyOf } from './step-bars.ts'
import type { ColourBy } from './step-bars.ts'

export interface Timeline {
  readonly rows: readonly WaterfallRow[]
  readonly scale: TimeScale
  readonly attempts: Attempts
}

const TICK_MS = { running: 200, suspended: 1000 } as const

interface TimelineLook {
  /** The steps of the workflow, whose order the rows have. */
  readonly declared: readonly FlatStep[]
  readonly colouring: ColourBy
  readonly collapse: boolean
  readonly slow: ReadonlyMap<string, string>
}

/** The steps of an execution as rows of bars, in the order of their declaration; running ones grow. */
export function useTimeline(record: ExecutionDetail, look: TimelineLook): Timeline {
  const { declared, colouring, collapse, slow } = look
  const { events, createdAt, endedAt, status, updatedAt } = record
  const steps = useMemo(() => [...record.steps, ...hookSteps(record)], [record])
  const tickMs = isFinal(status) ? undefined : TICK_MS[status]
  const ticking = useTick(tickMs)
  const now = tickMs === undefined ? Date.parse(endedAt ?? updatedAt) : ticking
  const attempts = useMemo(() => new Attempts(events), [events])
  const isReplay = record.forkedFrom !== undefined
  const placed = useMemo(() => stepTree(steps, declarationOrder(declared)), [steps, declared])
  return useMemo(() => {
    const of = (one: TreeStep) => attempts.of(one.step)
    const busy = placed.flatMap((one) => busyOf(one, of(one), now))
    const longest = busy.reduce((most, { start: from, end: to }) => Math.max(most, to - from), 1)
    const start = Date.parse(createdAt)
    // a replay has the records of the steps before the one that it starts from
    const isCopied = (step: StepRecord) =>
      isReplay && Date.parse(step.startTime) < start && attempts.of(step).length === 0
    // hooks run after the end
    const ended = Math.max(Date.parse(endedAt ?? updatedAt), ...busy.map(({ end: until }) => until))
    const end = isFinal(status) ? ended : now
    return {
      attempts,
      scale: timeScale({ start, end }, busy, collapse),
      rows: placed.map((one) =>
        rowOf(one, barsOf(one, of(one), { now, colouring, longest }), {
          slowness: slow.get(one.step.path),
          isCopied: isCopied(one.step),
        }),
      ),
    }
  }, [placed, attempts, now, colouring, collapse, slow, isReplay, createdAt, endedAt, updatedAt, status])
}

function rowOf(
  { step, depth, hasChildren }: TreeStep,
  bars: WaterfallRow['bars'],
  { slowness, isCopied }: { readonly slowness: string | undefined; readonly isCopied: boolean },
): WaterfallRow {
  const { path, name, status, attempts, durationMs, startTime, childExecutionId, progress } = step
  const attemptsText = attempts > 1 ? `, ${attempts} attempts` : ''
  return {
    key: path,
    name,
    depth,
    bars,
    isExpandable: hasChildren,
    isFaint: isCopied,
    description: `${step.type}, ${statusText(status)}${isCopied ? ', copied' : ''}${attemptsText}${slowness ? `, ${slowness} slower than usual` : ''}`,
    icon: <StatusIcon status={status} />,
    note: (
      <>
        {isCopied && (
          <span
            aria-hidden="true"
            className="shrink-0 text-sm text-dim"
            title="Copied from the replayed execution"
          >
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
            label={`Execution of ${name}`}
            className="text-accent"
            title="Child execution"
          >
            <Icon name="external" />
          </Link>
        )}
      </>
    ),
    aside:
      status === 'running' ? (
        <Duration since={startTime} />
      ) : status === 'skipped' ? (
        'skipped'
      ) : (
        <Duration ms={durationMs} />
      ),
  }
}
