import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { ApiResponse } from './api.ts'
import type { CallOf, DataKey, DataOf } from './call.ts'

/** Endpoints whose data is a list. */
type ListKey = { [K in DataKey]: DataOf<K> extends readonly unknown[] ? K : never }[DataKey]
type ItemOf<K extends ListKey> = DataOf<K> extends readonly (infer T)[] ? T : never

export interface Pages<T> {
  /** Total number of items; undefined before the first response. */
  readonly total: number | undefined
  readonly error: Error | null
  readonly isFetching: boolean
  /** An item by its index, once its page is loaded. */
  readonly at: (index: number) => T | undefined
  /** Fetches the pages of these indexes. */
  readonly show: (first: number, last: number) => void
  readonly refetch: () => void
  /** Updates loaded items, for live events. */
  readonly patch: (change: (items: readonly T[], page: number) => readonly T[]) => void
  /** Inserts new items at the start of the list. */
  readonly prepend: (items: readonly T[]) => void
  /** Inserts new items at the end of the list, where they move no other. */
  readonly append: (items: readonly T[]) => void
}

export interface PagesOptions {
  /** Keeps loaded pages as they are, so that no item moves; patches apply. They are refetched when it ends. */
  readonly isHeld?: boolean
}

const PAGE_SIZE = 200

/** A long list that is fetched page by page when it comes into view. The endpoint takes `limit` and `offset`. */
export function usePages<K extends ListKey>(
  key: K,
  call: CallOf<K>,
  { isHeld = false }: PagesOptions = {},
): Pages<ItemOf<K>> {
  type Page = ApiResponse<DataOf<K>>
  const { api } = useServices()
  const client = useQueryClient()
  const [range, setRange] = useState({ first: 0, last: 0 })
  const { query, params } = call as { query?: object; params?: object }
  const keyOf = (page: number) => [key, 'page', params ?? null, query ?? null, page]
  const pages = useMemo(() => pagesOf(range), [range])
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Page> => {
        const paged = { ...query, limit: String(PAGE_SIZE), offset: String(page * PAGE_SIZE) }
        return api.request(key, { ...call, query: paged, signal } as CallOf<K>)
      },
      placeholderData: keepPreviousData<Page>,
      enabled: ({ state }: { state: { data?: unknown } }) => !isHeld || state.data === undefined,
    })),
  })
  const wasHeld = useRef(isHeld)
  useEffect(() => {
    if (isHeld === wasHeld.current) return
    wasHeld.current = isHeld
    const queryKey = [key, 'page']
    // a response that is under way would move the items, too
    if (isHeld) void client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined })
    else void client.invalidateQueries({ queryKey })
  }, [client, key, isHeld])
  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]))
  const known = results.find(({ data }) => data !== undefined)?.data
  const [total, setTotal] = useState<number>()
  // the total is kept while other pages load
  if (known && totalOf(known) !== total) setTotal(totalOf(known))
  const show = useCallback((first: number, last: number) => {
    setRange((old) => (samePages(old, { first, last }) ? old : { first, last }))
  }, [])
  const change = (next: (old: Page, page: number) => Page) => {
    for (const page of pages) client.setQueryData<Page>(keyOf(page), (old) => old && next(old, page))
  }
  return {
    total: known ? totalOf(known) : total,
    error: results.find(({ error }) => error)?.error ?? null,
    isFetching: results.some(({ isFetching }) => isFetching),
    at: (index) =>
      (byPage.get(Math.floor(index / PAGE_SIZE))?.data as ItemOf<K>[] | undefined)?.[index % PAGE_SIZE],
    show,
    refetch: () => void client.invalidateQueries({ queryKey: [key, 'page'] }),
    patch: (patched) =>
      change((old, page) => ({ ...old, data: patched(old.data as ItemOf<K>[], page) as DataOf<K> })),
    prepend: (items) =>
      change((old, page) =>
        withAdded(old, items.length, (known) => (page === 0 ? [...items, ...known] : known)),
      ),
    append: (items) =>
      change((old, page) => {
        const isLast = page === Math.floor(totalOf(old) / PAGE_SIZE)
        return withAdded(old, items.length, (known) => (isLast ? [...known, ...items] : known))
      }),
  }
}

function totalOf({ headers, data }: ApiResponse<unknown>): number {
  return Number(headers.get('x-total-count') ?? (data as unknown[]).length)
}

/** A page of a list to which `count` items were added. */
function withAdded<P extends ApiResponse<unknown>>(
  page: P,
  count: number,
  add: (items: readonly unknown[]) => readonly unknown[],
): P {
  const headers = new Headers(page.headers)
  headers.set('x-total-count', String(totalOf(page) + count))
  return { ...page, headers, data: add(page.data as unknown[]).slice(0, PAGE_SIZE) }
}

function pagesOf({ first, last }: { first: number; last: number }): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE)
  const to = Math.floor(Math.max(0, last) / PAGE_SIZE)
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function samePages(one: { first: number; last: number }, other: { first: number; last: number }): boolean {
  return pagesOf(one).join() === pagesOf(other).join()
}
