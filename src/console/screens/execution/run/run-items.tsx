import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { Attempt } from '../../../../contract/fold-events.ts'
import type { Attempts } from '../../../../contract/fold-events.ts'
import { errorText, loggedError } from '../../../logs/log-text.tsx'
import { Link } from '../../../router/link.tsx'
import { oneLine } from '../../../ui/escape-text.ts'
import { LogLevelMark, StatusIcon, statusText } from '../../../ui/state/status-badge.tsx'
import { countText, durationText } from '../../../ui/time/format-time.ts'
import { searchedValue, searchText } from '../../../waterfall/tree-item.ts'
import type { SearchTexts, TreeItem } from '../../../waterfall/tree-item.ts'
import { spanItem } from '../../trace/span-items.tsx'
import type { TreeSpan } from '../../trace/span-tree.ts'
import type { TreeStep } from '../step-tree.ts'
import { attemptKey, earlierKey, logKey, spanKey } from './item-keys.ts'
import type { RunPart, RunParts } from './run-parts.ts'
import { attemptBar, kindOfStep } from './step-bars.ts'
import { stepItem } from './step-item.tsx'

export interface RunItemOptions {
  /** Now, in milliseconds since the epoch. */
  readonly now: number
  readonly attempts: Attempts
  readonly parts: RunParts
  readonly texts: SearchTexts
  /** How much slower than usual steps were, by path. */
  readonly slow: ReadonlyMap<string, string>
  /** Whether a step was copied from the replayed execution. */
  readonly isCopied: (step: StepRecord) => boolean
}

/** The rows of a run: each step with its attempts, its calls and its log records, then its nested steps. */
export function runItems(placed: readonly TreeStep[], options: RunItemOptions): readonly TreeItem[] {
  const items = placed.flatMap((one) => {
    const attempts = options.attempts.of(one.step)
    const within = itemsWithin(one, attempts, options)
    return [
      stepItem(one, { ...options, attempts, isExpandable: one.hasChildren || within.length > 0 }),
      ...within,
    ]
  })
  return [...items, ...partItems(options.parts.ofStep.get('') ?? [], 0, options)]
}

function itemsWithin(
  { step, depth, hasChildren }: TreeStep,
  attempts: readonly Attempt[],
  options: RunItemOptions,
): TreeItem[] {
  const parts = options.parts.ofStep.get(step.path) ?? []
  if (attempts.length < 2 || hasChildren) return partItems(parts, depth + 1, options)
  return attempts.flatMap((attempt, index) => {
    const next = attempts[index + 1]?.start ?? Infinity
    // the clocks of events and spans differ by a millisecond
    const own = parts.filter(({ at }) => at + 1 < next && (index === 0 || at + 1 >= attempt.start))
    const within = partItems(own, depth + 2, options)
    return [
      attemptItem(step, { attempt, index, depth: depth + 1, hasParts: within.length > 0 }, options),
      ...within,
    ]
  })
}

interface PlacedAttempt {
  readonly attempt: Attempt
  /** From 0. */
  readonly index: number
  readonly depth: number
  readonly hasParts: boolean
}

function attemptItem(
  step: StepRecord,
  { attempt, index, depth, hasParts }: PlacedAttempt,
  { now, texts }: RunItemOptions,
): TreeItem {
  const { number, status, error } = attempt
  const bar = attemptBar({ step, attempt, isOnly: false }, now)
  return {
    key: attemptKey(step.path, index),
    kind: kindOfStep(step),
    isFailed: status === 'error',
    name: `Attempt ${number}`,
    depth,
    isExpandable: hasParts,
    description: statusText(status),
    bars: [bar],
    busy: [],
    icon: <StatusIcon status={status} />,
    note: error && (
      <span className="min-w-0 shrink-[9999] truncate text-sm text-dim">{oneLine(error.message, 200)}</span>
    ),
    aside: durationText(bar.end - bar.start),
    text: () =>
      searchText(texts, attempt, () => [`attempt ${number}`, error?.name ?? '', error?.message ?? '']),
  }
}

/** Newest log records shown within a step or a call. */
const MAX_LOGS = 50

function partItems(parts: readonly RunPart[], depth: number, options: RunItemOptions): TreeItem[] {
  const { length } = parts.filter((part) => 'log' in part)
  let earlier = Math.max(0, length - MAX_LOGS)
  const items = parts.flatMap((part) => {
    if ('spans' in part) return part.spans.flatMap((one) => spanItems(one, depth, options))
    return --earlier >= 0 ? [] : [logItem(part.log, depth, options.texts)]
  })
  const first = parts.find((part) => 'log' in part)?.log
  return first && length > MAX_LOGS ? [earlierItem(first, length - MAX_LOGS, depth), ...items] : items
}

/** A row for log records that are left out, the first of which is given. */
function earlierItem({ id, timestamp, executionId }: LogRecord, count: number, depth: number): TreeItem {
  const at = Date.parse(timestamp)
  const name = `${countText(count)} earlier log ${count === 1 ? 'record' : 'records'}`
  return {
    key: earlierKey(id),
    kind: 'log',
    isFailed: false,
    name,
    depth,
    isExpandable: false,
    isFaint: true,
    description: '',
    bars: [{ start: at, end: at, tone: 'bg-line-strong', title: name }],
    busy: [],
    note: (
      <Link
        to={`executions/${encodeURIComponent(executionId ?? '')}?tab=logs`}
        className="text-sm text-accent hover:underline"
      >
        Show in Logs
      </Link>
    ),
    text: () => name,
  }
}

/** A call, with its log records. */
function spanItems(one: TreeSpan, depth: number, options: RunItemOptions): TreeItem[] {
  const logs = (options.parts.ofSpan.get(one.span.spanId) ?? []).map((log) => ({ at: 0, log }))
  const at = depth + one.depth
  const hasChildren = one.hasChildren || logs.length > 0
  // in a run each has its place
  const item = spanItem({ ...one, depth: at, hasChildren, isOrphan: false }, options)
  return [{ ...item, key: spanKey(one.span.spanId) }, ...partItems(logs, at + 1, options)]
}

const LOG_TONES: Readonly<Record<string, string>> = {
  warn: 'bg-suspended',
  error: 'bg-error',
  fatal: 'bg-error',
}

function logItem(log: LogRecord, depth: number, texts: SearchTexts): TreeItem {
  const { id, level, message, timestamp, attributes } = log
  const at = Date.parse(timestamp)
  const error = loggedError(attributes['err'])
  return {
    key: logKey(id),
    kind: 'log',
    isFailed: level === 'error' || level === 'fatal',
    name: message === '' ? '(no message)' : oneLine(message, 200),
    depth,
    isExpandable: false,
    isFaint: true,
    description: `log record, ${level}`,
    bars: [{ start: at, end: at, tone: LOG_TONES[level] ?? 'bg-line-strong', title: oneLine(message, 200) }],
    busy: [],
    icon: (
      <span aria-hidden="true" className="shrink-0 text-sm">
        <LogLevelMark level={level} />
      </span>
    ),
    note: error && (
      <span className="min-w-0 shrink-[9999] truncate text-sm text-dim">{errorText(error, message)}</span>
    ),
    text: () => searchText(texts, log, () => [level, message, searchedValue(attributes)]),
  }
}
