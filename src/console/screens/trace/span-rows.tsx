import { Icon } from '../../ui/icon.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { StatusIcon, statusText } from '../../ui/state/status-badge.tsx'
import { oneLine } from '../../ui/escape-hidden.ts'
import { Duration } from '../../ui/time/time.tsx'
import type { WaterfallRow } from '../../waterfall/waterfall-row.ts'
import { SPAN_CATEGORIES, categoryOf } from './data/span-category.ts'
import type { FoundSpans } from './data/span-search.ts'
import type { TreeSpan } from './data/span-tree.ts'

const FAILED = <StatusIcon status="error" />
const RUNNING = <StatusIcon status="running" />
const ORPHAN = (
  <span className="shrink-0 text-dim" title="The parent span is not in this trace">
    <Icon name="skipped" />
  </span>
)
/** Characters of a name that fit in a row. */
const MAX_NAME_LENGTH = 200

/** Spans as rows of a waterfall; running ones end at `now`. */
export function spanRows(
  placed: readonly TreeSpan[],
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow[] {
  return (found?.shown ?? placed).map((one) => rowOf(one, { found, now }))
}

function rowOf(
  one: TreeSpan,
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow {
  const { span, depth, hasChildren, start, end, isOrphan } = one
  const { spanId, status, startTime, durationMs } = span
  const [sort, tone] = SPAN_CATEGORIES[categoryOf(span)]
  const name = oneLine(span.name, MAX_NAME_LENGTH)
  const duration = durationMs === null ? 'running' : durationText(durationMs)
  return {
    key: spanId,
    name,
    depth,
    isExpandable: hasChildren,
    description: `${sort}, ${statusText(status)}${isOrphan ? ', the parent span is not in this trace' : ''}`,
    isFaint: found !== undefined && !found.matching.has(spanId),
    bars: [
      {
        start,
        end: end ?? Math.max(now, start),
        title: `${name}: ${duration}`,
        tone: status === 'error' ? `${tone} ${WITH_ERROR}` : status === 'running' ? `${tone} ${OPEN}` : tone,
      },
    ],
    icon: status === 'error' ? FAILED : status === 'running' ? RUNNING : undefined,
    note: isOrphan ? ORPHAN : undefined,
    aside: durationMs === null ? <Duration since={startTime} /> : duration,
  }
}

const WITH_ERROR = 'outline-2 -outline-offset-2 outline-error'
const OPEN = 'opacity-70'
