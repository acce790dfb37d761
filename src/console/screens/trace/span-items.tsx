import { ATTRIBUTE } from '../../../contract/attributes.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { Icon } from '../../ui/icon.tsx'
import { StatusIcon, statusText } from '../../ui/state/status-badge.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { Duration } from '../../ui/time/time.tsx'
import { ITEM_KINDS, searchedValue, searchText } from '../../waterfall/tree-item.ts'
import type { ItemKind, SearchTexts, TreeItem } from '../../waterfall/tree-item.ts'
import { categoryOf, spanTitle } from './span-category.ts'
import type { TreeSpan } from './span-tree.ts'

export interface SpanItemOptions {
  /** Running spans end then, in milliseconds since the epoch. */
  readonly now: number
  readonly texts: SearchTexts
}

/** Kinds whose spans may only wait for their children. */
const AROUND: ReadonlySet<ItemKind> = new Set(['request', 'workflow', 'agent'])

const FAILED = <StatusIcon status="error" />

const RUNNING = <StatusIcon status="running" />

const ORPHAN = (
  <span className="shrink-0 text-dim" title="The parent span is not in this request">
    <Icon name="skipped" />
  </span>
)

const WITH_ERROR = 'outline-2 -outline-offset-2 outline-error'

const OPEN = 'opacity-70'

/** A span as a row of a tree. */
export function spanItem(one: TreeSpan, { now, texts }: SpanItemOptions): TreeItem {
  const { span, depth, hasChildren, start, isOrphan } = one
  const { spanId, status, startTime, durationMs } = span
  const kind = categoryOf(span)
  const [sort, tone] = ITEM_KINDS[kind]
  const name = spanTitle(span)
  const end = one.end ?? Math.max(now, start)
  const duration = durationMs === null ? 'running' : durationText(durationMs)
  const isFailed = status === 'error'
  return {
    key: spanId,
    kind,
    isFailed,
    name,
    depth,
    isExpandable: hasChildren,
    description: `${sort}, ${statusText(status)}${isOrphan ? ', the parent span is not in this request' : ''}`,
    bars: [
      {
        start,
        end,
        title: `${name}: ${duration}`,
        tone: isFailed ? `${tone} ${WITH_ERROR}` : status === 'running' ? `${tone} ${OPEN}` : tone,
      },
    ],
    // a request around an execution, for example, may only wait
    busy: hasChildren && AROUND.has(kind) ? [] : [{ start, end }],
    icon: isFailed ? FAILED : status === 'running' ? RUNNING : <KindMark tone={tone} />,
    note: isOrphan ? ORPHAN : <SpanCost span={span} />,
    aside: durationMs === null ? <Duration since={startTime} /> : duration,
    text: () => searchText(texts, span, () => searchedParts(span)),
  }
}

function KindMark({ tone }: { readonly tone: string }) {
  return <span aria-hidden="true" className={`mx-0.5 size-2.5 shrink-0 rounded-[2px] ${tone}`} />
}

function SpanCost({ span: { attributes } }: { readonly span: Span }) {
  const cost = attributes[ATTRIBUTE.cost]
  if (typeof cost !== 'number' || cost === 0) return null
  return <span className="shrink-0 text-sm text-dim">{formatCost(cost)}</span>
}

function searchedParts({ name, statusMessage = '', attributes }: Span): string[] {
  const values = Object.entries(attributes).flatMap(([key, value]) => [key, searchedValue(value)])
  return [name, statusMessage, ...values]
}
