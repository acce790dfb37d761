import { useSyncExternalStore } from 'react'
import { serverClock } from './server-clock.ts'

const TICK_MS = 1000

/** The current time of the server, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, now)
}

function now(): number {
  return Math.floor(serverClock.now() / TICK_MS) * TICK_MS
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}
