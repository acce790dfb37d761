import { useSyncExternalStore, useEffect, useState } from 'react'
import { Listeners } from '../../services/listeners.ts'

/** The current time of the server, updated every `ms` milliseconds; fixed without them. */
export function useTick(ms: number | undefined): number {
  const [now, setNow] = useState(() => serverClock.now())
  useEffect(() => {
    if (ms === undefined) return undefined
    const timer = setInterval(() => setNow(serverClock.now()), ms)
    return () => clearInterval(timer)
  }, [ms])
  return now
}

/** Smaller differences are those of slow responses and of the resolution of the `Date` header. */
const TOLERANCE_MS = 5000

/** The clock of the server, by which all shown times are: that of the browser's computer may be hours off. */
class ServerClock {
  readonly #listeners = new Listeners()
  #offset = 0

  readonly subscribe = this.#listeners.add

  /** Milliseconds by which the server is ahead of the browser; 0 when they differ by less than some seconds. */
  readonly offset = (): number => this.#offset

  /** Milliseconds since the epoch, by the clock of the server. */
  readonly now = (): number => Date.now() + this.#offset

  /** Takes the time of the `Date` header of a response that has just been received. */
  set(date: string | null): void {
    const time = Date.parse(date ?? '')
    if (Number.isNaN(time) || Math.abs(time - this.now()) <= TOLERANCE_MS) return
    const offset = time - Date.now()
    this.#offset = Math.abs(offset) <= TOLERANCE_MS ? 0 : offset
    this.#listeners.notify()
  }
}

export const serverClock = new ServerClock()

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
