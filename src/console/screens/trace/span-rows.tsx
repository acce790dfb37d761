import { Icon } from '../../ui/icon.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { StatusSign } from '../../ui/state/status-badge.tsx'
import { oneLine } from '../../ui/visible-text.ts'
import { Duration } from '../../ui/time/time.tsx'
import type { WaterfallRow } from '../../waterfall/waterfall-row.ts'
import { SPAN_SORTS, sortOf } from './data/span-kind.ts'
import type { FoundSpans } from './data/span-search.ts'
import type { PlacedSpan } from './data/span-tree.ts'

const FAILED = <StatusSign status="error" />
const RUNNING = <StatusSign status="running" />
const ORPHAN = (
  <span className="shrink-0 text-dim" title="The span above it is not in this trace">
    <Icon name="skipped" />
  </span>
)
/** Longer names tell nothing more in a row. */
const LONGEST_NAME = 200

/** Spans as rows of a waterfall; those that run reach to `now`. */
export function spanRows(
  placed: readonly PlacedSpan[],
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow[] {
  return (found?.shown ?? placed).map((one) => rowOf(one, { found, now }))
}

function rowOf(
  one: PlacedSpan,
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow {
  const { span, depth, hasChildren, start, end, isOrphan } = one
  const { spanId, status, startTime, durationMs } = span
  const [sort, tone] = SPAN_SORTS[sortOf(span)]
  const name = oneLine(span.name, LONGEST_NAME)
  const took = durationMs === null ? 'running' : durationText(durationMs)
  return {
    key: spanId,
    name,
    depth,
    folds: hasChildren,
    description: `${sort}, ${status}${isOrphan ? ', the span above it is not in this trace' : ''}`,
    isFaint: found !== undefined && !found.fitting.has(spanId),
    bars: [
      {
        start,
        end: end ?? Math.max(now, start),
        title: `${name}: ${took}`,
        tone: status === 'error' ? `${tone} ${WITH_ERROR}` : status === 'running' ? `${tone} ${OPEN}` : tone,
      },
    ],
    sign: status === 'error' ? FAILED : status === 'running' ? RUNNING : undefined,
    note: isOrphan ? ORPHAN : undefined,
    aside: durationMs === null ? <Duration since={startTime} /> : took,
  }
}

const WITH_ERROR = 'outline-2 -outline-offset-2 outline-error'
const OPEN = 'opacity-70'
