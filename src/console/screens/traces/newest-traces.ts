import type { InfiniteData } from '@tanstack/react-query'
import type { TraceSummary } from '../../../contract/endpoints/trace.ts'
import type { Answer } from '../../api/api.ts'

type Page = Answer<TraceSummary[]>

/** How many of the newest traces are not among those that are known. */
export function newTraces(known: readonly TraceSummary[], newest: readonly TraceSummary[]): number {
  const ids = new Set(known.map(({ traceId }) => traceId))
  return newest.filter(({ traceId }) => !ids.has(traceId)).length
}

/**
 * The list with what its first page says now. Without `add` the rows stay where they are, and only what is said
 * of them changes.
 */
export function withNewest(
  list: InfiniteData<Page, string>,
  newest: Page,
  { add }: { readonly add: boolean },
): InfiniteData<Page, string> {
  const last = list.pages.at(-1)
  const known = list.pages.flatMap((page) => page.data)
  if (!last) return list
  if (!add) {
    const changed = new Map(newest.data.map((trace) => [trace.traceId, trace]))
    return onePage(
      known.map((trace) => changed.get(trace.traceId) ?? trace),
      last,
    )
  }
  const edge = newest.data.at(-1)
  const at = known.findLastIndex(({ traceId }) => traceId === edge?.traceId)
  // all there is, or more that is new than a page holds
  if (at === -1 || !newest.headers.has('x-next-cursor')) return onePage(newest.data, newest)
  return onePage([...newest.data, ...known.slice(at + 1)], last)
}

function onePage(data: TraceSummary[], { headers, status }: Page): InfiniteData<Page, string> {
  return { pages: [{ data, headers, status }], pageParams: [''] }
}
