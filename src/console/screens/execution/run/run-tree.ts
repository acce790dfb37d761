import { useMemo, useRef } from 'react'
import type { ExecutionDetail, StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { Attempts } from '../../../../contract/fold-events.ts'
import { isFinal } from '../../../../contract/is-final.ts'
import type { FlatStep } from '../../../graph/step-tree.ts'
import { useTick } from '../../../ui/time/use-now.ts'
import type { Interval } from '../../../waterfall/time-scale.ts'
import type { SearchTexts, TreeItem } from '../../../waterfall/tree-item.ts'
import { declarationOrder, hookSteps, stepTree } from '../step-tree.ts'
import { spanKey } from './item-keys.ts'
import { runItems } from './run-items.tsx'
import { runParts } from './run-parts.ts'

export interface RunTree {
  readonly items: readonly TreeItem[]
  readonly range: Interval
  readonly attempts: Attempts
  /** The key of the row of a span. */
  readonly keyOfSpan: (spanId: string) => string
}

const TICK_MS = { running: 200, suspended: 1000 } as const

interface RunTreeOptions {
  /** The steps of the workflow, whose order the rows have. */
  readonly declared: readonly FlatStep[]
  readonly spans: readonly Span[]
  readonly logs: readonly LogRecord[]
  /** How much slower than usual steps were, by path. */
  readonly slow: ReadonlyMap<string, string>
}

/** The steps of an execution in the order of their declaration, with their calls and log records; running ones grow. */
export function useRunTree(record: ExecutionDetail, options: RunTreeOptions): RunTree {
  const { declared, spans, logs, slow } = options
  const { events, createdAt, endedAt, status, updatedAt } = record
  const tickMs = isFinal(status) ? undefined : TICK_MS[status]
  const ticking = useTick(tickMs)
  const now = tickMs === undefined ? Date.parse(endedAt ?? updatedAt) : ticking
  const steps = useMemo(() => [...record.steps, ...hookSteps(record)], [record])
  const attempts = useMemo(() => new Attempts(events), [events])
  const isReplay = record.forkedFrom !== undefined
  const placed = useMemo(() => stepTree(steps, declarationOrder(declared)), [steps, declared])
  const parts = useMemo(
    () => runParts({ id: record.id, steps }, spans, logs),
    [record.id, steps, spans, logs],
  )
  const texts = useRef<SearchTexts>(new WeakMap())
  return useMemo(() => {
    const start = Date.parse(createdAt)
    // a replay has the records of the steps before the one that it starts from
    const isCopied = (step: StepRecord) =>
      isReplay && Date.parse(step.startTime) < start && attempts.of(step).length === 0
    const items = runItems(placed, { now, attempts, parts, slow, isCopied, texts: texts.current })
    // hooks run after the end
    let ended = Date.parse(endedAt ?? updatedAt)
    for (const { busy } of items) for (const { end } of busy) ended = Math.max(ended, end)
    const keyOfSpan = (spanId: string) => parts.pathOf.get(spanId) ?? spanKey(spanId)
    return { attempts, items, keyOfSpan, range: { start, end: isFinal(status) ? ended : now } }
  }, [placed, parts, attempts, now, slow, isReplay, createdAt, endedAt, updatedAt, status])
}
