/** A signal that aborts with another one, or when a time is up. */
export interface Deadline {
  readonly signal: AbortSignal
  /** To be called when nothing is waited for any more: the timer holds the memory of what waited. */
  clear(): void
}

/** Aborts with `signal`, for its reason, or after `ms` milliseconds with what `late` makes. */
export function startDeadline(ms: number, signal: AbortSignal, late: () => Error): Deadline {
  const abort = new AbortController()
  const follow = () => {
    clearTimeout(timer)
    abort.abort(signal.reason)
  }
  const timer = setTimeout(() => abort.abort(late()), ms)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: abort.signal,
    clear: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
