import { useCallback, useEffect, useRef, useState } from 'react'
import type { Span } from '../../contract/endpoints/trace.ts'
import { useServices } from '../services/services-context.tsx'
import { useThrottled } from '../live/use-throttled.ts'
import { useTopic } from '../live/use-topic.ts'

export interface TraceSpans {
  /** Undefined before the first response; not sorted. */
  readonly spans: readonly Span[] | undefined
  /** Total number of spans, as far as known. */
  readonly total: number
  readonly isLoading: boolean
  readonly error: unknown
  readonly refetch: () => void
}

/** Small enough to parse a response within a frame. */
const PAGE_SIZE = '1500'
/** Interval of redraws for live spans; longer for long traces, where each redraw is expensive. */
const DRAW_MS = 250
const LONG_DRAW_MS = 1000
const LONG = 5000
const TRACE_ID = /^[0-9a-f]{32}$/
const NONE: Omit<TraceSpans, 'refetch'> = { spans: undefined, total: 0, isLoading: true, error: undefined }

export interface TraceSpansOptions {
  /** A trace that the server does not have is one without spans, instead of an error. */
  readonly mayBeGone?: boolean
}

/** All spans of a trace, fetched page by page, then updated live as they start and end. */
export function useTraceSpans(traceId: string, { mayBeGone = false }: TraceSpansOptions = {}): TraceSpans {
  const { api } = useServices()
  const [state, setState] = useState(NONE)
  const known = useRef(new Map<string, Span>())
  const loading = useRef<AbortController>(undefined)
  const drawNow = useCallback(() => {
    const spans = [...known.current.values()]
    setState((old) => ({ ...old, spans, total: Math.max(old.total, spans.length) }))
  }, [])
  const draw = useThrottled(drawNow, (state.spans?.length ?? 0) > LONG ? LONG_DRAW_MS : DRAW_MS)
  const add = useCallback((span: Span) => {
    // the start of a span may arrive after its end
    if (span.status === 'running' && known.current.get(span.spanId)?.endTime) return
    known.current.set(span.spanId, span)
  }, [])
  const find = useCallback(
    async (signal?: AbortSignal) => {
      const { data } = await api.request('listTraces', { query: { traceId }, ...(signal && { signal }) })
      return data[0]
    },
    [api, traceId],
  )
  const loadPages = useCallback(
    async (signal: AbortSignal) => {
      let drawn = 0
      for (let cursor = ''; ;) {
        const query = { limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) }
        const { data, headers } = await api.request('getTrace', { params: { traceId }, query, signal })
        for (const span of data.spans) add(span)
        setState((old) => ({ ...old, total: data.spanCount, error: undefined }))
        // draws at each doubling, which in total costs little more than drawing once
        if (known.current.size >= drawn * 2) {
          drawn = known.current.size
          drawNow()
        }
        cursor = headers.get('x-next-cursor') ?? ''
        if (cursor === '') return
      }
    },
    [api, traceId, add, drawNow],
  )
  const load = useCallback(async () => {
    // a request under way returns new spans, or the live topic sends them
    if (loading.current) return
    const turn = new AbortController()
    loading.current = turn
    try {
      // asked first: browsers report a response of 404 in their console
      if (!mayBeGone || (await find(turn.signal))) await loadPages(turn.signal)
    } catch (error) {
      if (turn.signal.aborted) return
      setState((old) => ({ ...old, error }))
    }
    loading.current = undefined
    drawNow()
    setState((old) => ({ ...old, isLoading: false }))
  }, [mayBeGone, find, loadPages, drawNow])
  useEffect(() => {
    void load()
    return () => {
      loading.current?.abort()
      loading.current = undefined
    }
  }, [load])
  // no subscription for an invalid id
  useTopic(TRACE_ID.test(traceId) ? `trace:${traceId}` : undefined, {
    onFrame: ({ data }) => {
      add(data as Span)
      draw()
    },
    onResync: () => void refetchIfChanged(),
  })
  /** Fetches all spans again if any may have changed. */
  const refetchIfChanged = async () => {
    try {
      const trace = await find()
      const all = [...known.current.values()]
      if (trace && (trace.spanCount !== all.length || all.some(({ status }) => status === 'running')))
        await load()
    } catch {
      // the connection banner shows that the server is unreachable; the next resync retries
    }
  }
  const refetch = () => {
    setState((old) => ({ ...old, isLoading: true, error: undefined }))
    void load()
  }
  return { ...state, refetch }
}
