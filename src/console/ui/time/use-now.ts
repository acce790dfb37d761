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

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** All times of the page share one timer. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const notify of listeners) notify()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
