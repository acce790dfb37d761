import { ATTRIBUTE } from '../../../../contract/attributes.ts'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { categoryOf, textOf } from '../../trace/span-category.ts'
import { spansByParent, spanTree } from '../../trace/span-tree.ts'
import type { TreeSpan } from '../../trace/span-tree.ts'

/** A call with those within it, or a log record. */
export type RunPart =
  | { readonly at: number; readonly spans: readonly TreeSpan[] }
  | { readonly at: number; readonly log: LogRecord }

/** What was recorded within the steps of an execution. Times are in milliseconds since the epoch. */
export interface RunParts {
  /** The path of the step of each span of a step; '' for the spans of the execution itself. */
  readonly pathOf: ReadonlyMap<string, string>
  /** The calls and log records of each step by its path, in their order; those without a step at the path ''. */
  readonly ofStep: ReadonlyMap<string, readonly RunPart[]>
  /** The log records of each call by its span. */
  readonly ofSpan: ReadonlyMap<string, readonly LogRecord[]>
}

/** Places the spans of a trace, without those of the steps themselves, and the log records in the steps. */
export function runParts(
  { id, steps }: Pick<ExecutionDetail, 'id' | 'steps'>,
  spans: readonly Span[],
  logs: readonly LogRecord[],
): RunParts {
  const { pathOf, nested } = placeSpans(id, spans)
  const ofStep = new Map<string, RunPart[]>()
  const ofSpan = new Map<string, LogRecord[]>()
  for (const tree of subtrees(spanTree(nested))) {
    const [{ span, start }] = tree
    push(ofStep, pathOf.get(span.parentSpanId ?? '') ?? '', { at: start, spans: tree })
  }
  const ids = new Set(nested.map(({ spanId }) => spanId))
  const byStepId = new Map(steps.map(({ stepId, path }) => [stepId, path]))
  for (const log of logs) {
    if (log.spanId !== null && ids.has(log.spanId)) push(ofSpan, log.spanId, log)
    else {
      const path = pathOf.get(log.spanId ?? '') ?? byStepId.get(String(log.attributes['stepId']))
      push(ofStep, path ?? '', { at: Date.parse(log.timestamp), log })
    }
  }
  for (const parts of ofStep.values()) parts.sort((one, other) => one.at - other.at)
  return { pathOf, ofStep, ofSpan }
}

interface PlacedSpans extends Pick<RunParts, 'pathOf'> {
  /** The other spans within them. */
  readonly nested: readonly Span[]
}

function placeSpans(id: string, spans: readonly Span[]): PlacedSpans {
  const within = spansByParent(spans)
  const own = spans.filter(
    (span) => categoryOf(span) === 'workflow' && textOf(span, ATTRIBUTE.executionId) === id,
  )
  const pathOf = new Map(own.map(({ spanId }) => [spanId, '']))
  const nested: Span[] = []
  const seen = new Set(pathOf.keys())
  const queue = own.map(({ spanId }) => ({ spanId, isStep: true }))
  for (const { spanId, isStep } of queue)
    for (const span of within.get(spanId) ?? []) {
      if (seen.has(span.spanId)) continue
      seen.add(span.spanId)
      const path = textOf(span, ATTRIBUTE.stepPath)
      // also of a step that the record does not have yet
      const isOwnStep = isStep && path !== ''
      if (isOwnStep) pathOf.set(span.spanId, path)
      else nested.push(span)
      queue.push({ spanId: span.spanId, isStep: isOwnStep })
    }
  return { pathOf, nested }
}

/** The trees of a list in depth-first order. */
function subtrees(placed: readonly TreeSpan[]): readonly (readonly [TreeSpan, ...TreeSpan[]])[] {
  const trees: [TreeSpan, ...TreeSpan[]][] = []
  for (const one of placed) {
    if (one.depth === 0) trees.push([one])
    else trees.at(-1)?.push(one)
  }
  return trees
}

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key)
  if (list) list.push(item)
  else map.set(key, [item])
}
