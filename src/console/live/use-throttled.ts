import { useEffect, useEffectEvent, useMemo } from 'react'

/** A throttled function: runs at most every `everyMs` milliseconds, and always after the last call. Stable. */
export function useThrottled(run: () => void, everyMs: number): () => void {
  const newest = useEffectEvent(run)
  const throttle = useMemo(() => new Throttle(everyMs), [everyMs])
  useEffect(() => {
    throttle.run = () => newest()
    return () => throttle.cancel()
  }, [throttle])
  return throttle.call
}

class Throttle {
  run: () => void = () => undefined
  readonly #everyMs: number
  #last = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  readonly call = (): void => {
    if (this.#timer !== undefined) return
    const wait = this.#last + this.#everyMs - performance.now()
    if (wait <= 0) this.#now()
    else this.#timer = setTimeout(() => this.#now(), wait)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #now(): void {
    this.#timer = undefined
    this.#last = performance.now()
    this.run()
  }
}
