import { useCallback, useEffect, useRef, useState } from 'react'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { useServices } from '../../../services/services-context.tsx'
import { useThrottled } from '../../../live/use-throttled.ts'
import { useTopic } from '../../../live/use-topic.ts'

export interface TraceSpans {
  /** Undefined before the first answer; not in order. */
  readonly spans: readonly Span[] | undefined
  /** How many there are in all, as far as is known. */
  readonly total: number
  readonly isLoading: boolean
  readonly error: unknown
  readonly refetch: () => void
}

/** Small enough for an answer to be read within a frame. */
const PAGE_SIZE = '1500'
/** What comes live is drawn this often: of a long trace each time is work. */
const DRAW_MS = 250
const LONG_DRAW_MS = 1000
const LONG = 5000
const TRACE_ID = /^[0-9a-f]{32}$/
const NONE: Omit<TraceSpans, 'refetch'> = { spans: undefined, total: 0, isLoading: true, error: undefined }

/** All spans of a trace, fetched part by part, and then live as they start and end. */
export function useTraceSpans(traceId: string): TraceSpans {
  const { api } = useServices()
  const [state, setState] = useState(NONE)
  const known = useRef(new Map<string, Span>())
  const loading = useRef<AbortController>(undefined)
  const drawNow = useCallback(() => {
    const spans = [...known.current.values()]
    setState((old) => ({ ...old, spans, total: Math.max(old.total, spans.length) }))
  }, [])
  const draw = useThrottled(drawNow, (state.spans?.length ?? 0) > LONG ? LONG_DRAW_MS : DRAW_MS)
  const take = useCallback((span: Span) => {
    // of a span that ended an earlier word may come later
    if (span.status === 'running' && known.current.get(span.spanId)?.endTime) return
    known.current.set(span.spanId, span)
  }, [])
  const load = useCallback(async () => {
    // one that is under way sees what is new, or the live topic tells of it
    if (loading.current) return
    const turn = new AbortController()
    loading.current = turn
    let drawn = 0
    try {
      for (let cursor = ''; ;) {
        const query = { limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) }
        const { data, headers } = await api.answer('getTrace', {
          params: { traceId },
          query,
          signal: turn.signal,
        })
        for (const span of data.spans) take(span)
        setState((old) => ({ ...old, total: data.spanCount, error: undefined }))
        // a part is drawn when it is twice the one before: in all that is little more than drawing the whole
        if (known.current.size >= drawn * 2) {
          drawn = known.current.size
          drawNow()
        }
        cursor = headers.get('x-next-cursor') ?? ''
        if (cursor === '') break
      }
    } catch (error) {
      if (turn.signal.aborted) return
      setState((old) => ({ ...old, error }))
    }
    loading.current = undefined
    drawNow()
    setState((old) => ({ ...old, isLoading: false }))
  }, [api, traceId, take, drawNow])
  useEffect(() => {
    void load()
    return () => {
      loading.current?.abort()
      loading.current = undefined
    }
  }, [load])
  // of what is no id there is nothing to be told
  useTopic(TRACE_ID.test(traceId) ? `trace:${traceId}` : undefined, {
    onFrame: ({ data }) => {
      take(data as Span)
      draw()
    },
    onResync: () => void lookAgain(),
  })
  /** Fetches all again if anything may have changed. */
  const lookAgain = async () => {
    try {
      const { spanCount } = await api.call('getTrace', { params: { traceId }, query: { limit: '1' } })
      const all = [...known.current.values()]
      if (spanCount !== all.length || all.some(({ status }) => status === 'running')) await load()
    } catch {
      // the connection's banner says that the server is away; with the next connection this is tried again
    }
  }
  const refetch = () => {
    setState((old) => ({ ...old, isLoading: true, error: undefined }))
    void load()
  }
  return { ...state, refetch }
}
