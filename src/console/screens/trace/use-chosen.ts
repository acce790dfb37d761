import { useEffect, useState } from 'react'
import { useUrlState } from '../../router/use-url-state.ts'

const CHOSEN = { span: '' }
const SETTLE_MS = 150

export interface Chosen {
  readonly chosen: string
  readonly choose: (spanId: string) => void
  /** The same, once it rests there. */
  readonly settled: string
}

/** The chosen span. The address follows when the arrows are let go: browsers take few changes of it a second. */
export function useChosen(): Chosen {
  const [{ span }, set] = useUrlState(CHOSEN)
  const [chosen, choose] = useState(span)
  const [seen, setSeen] = useState(span)
  if (seen !== span) {
    setSeen(span)
    choose(span)
  }
  useEffect(() => {
    if (chosen === span) return undefined
    const timer = setTimeout(() => set({ span: chosen }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [chosen, span, set])
  return { chosen, choose, settled: span }
}
