import { useSyncExternalStore } from 'react'

const TICK_MS = 1000

/** The time, to the second: what shows an age is drawn again when it changes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, now)
}

function now(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}
