import { useSyncExternalStore } from 'react'

const TICK_MS = 1000

/** The current time, updated every second. */
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
