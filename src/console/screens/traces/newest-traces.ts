import type { InfiniteData } from '@tanstack/react-query'
import type { TraceSummary } from '../../../contract/endpoints/trace.ts'
import type { ApiResponse } from '../../api/api.ts'

type Page = ApiResponse<TraceSummary[]>

/** Number of the newest traces that are not yet in the list. */
export function newTraces(known: readonly TraceSummary[], newest: readonly TraceSummary[]): number {
  const ids = new Set(known.map(({ traceId }) => traceId))
  return newest.filter(({ traceId }) => !ids.has(traceId)).length
}

/** The list updated from its new first page. Without `add` no rows are added: the known ones are updated in place. */
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
  // the list has one page, or more new traces than a page holds
  if (at === -1 || !newest.headers.has('x-next-cursor')) return onePage(newest.data, newest)
  return onePage([...newest.data, ...known.slice(at + 1)], last)
}

function onePage(data: TraceSummary[], page: Page): InfiniteData<Page, string> {
  return { pages: [{ ...page, data }], pageParams: [''] }
}
