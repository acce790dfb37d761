import { useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import { nameCompletions, declaredResults, valueCompletions } from './sources/declared-results.ts'
import { messageResults } from './sources/message-results.ts'
import { commandResults, recentPages } from './sources/page-results.ts'
import { executionsByIdPart, newestExecutions, recordById, recordResults } from './sources/record-results.ts'
import { searchInOrder } from './search-in-order.ts'
import type { SearchProgress } from './search-in-order.ts'
import { listResults, savedViews } from './sources/view-results.ts'
import type { NameView } from './sources/view-results.ts'

export interface Search {
  /** The shown results, which may still be those of an earlier text. */
  readonly shown: SearchProgress
  /** Results for the text are on their way. */
  readonly isSearching: boolean
  readonly retry: () => void
}

const NOTHING: SearchProgress = { text: '', groups: [], failures: [], isComplete: false }

/** The results for a text. They are searched for again when a view changes, and when the connection is back. */
export function useSearch(text: string, nameView: NameView): Search {
  const services = useServices()
  const { views, live } = services
  const saved = useSyncExternalStore(views.subscribe, views.items)
  const isOnline = useSyncExternalStore(live.watch, () => isConnected(live.state()))
  const [shown, setShown] = useState(NOTHING)
  const [turn, setTurn] = useState(0)
  const name = useEffectEvent(nameView)
  const sources = useMemo(() => {
    const ask: NameView = (view, before) => name(view, before)
    return [
      valueCompletions(services),
      savedViews(services, ask),
      recentPages(services),
      newestExecutions(services),
      commandResults(services),
      declaredResults(services),
      executionsByIdPart(services),
      recordResults(services),
      nameCompletions,
      listResults(services, ask),
      messageResults(services),
      recordById(services),
    ]
  }, [services])
  useEffect(() => {
    const abort = new AbortController()
    void searchInOrder(sources, { text, signal: abort.signal }, (progress) => {
      // until there is something to show, the earlier results stay
      if (progress.groups.length > 0 || progress.isComplete) setShown(progress)
    })
    return () => abort.abort()
  }, [sources, text, saved, isOnline, turn])
  return {
    shown,
    isSearching: shown.text !== text || !shown.isComplete,
    retry: () => setTurn(turn + 1),
  }
}

function isConnected(state: string): boolean {
  return state === 'open' || state === 'polling'
}
