/** A signal that aborts with another signal, or after a timeout. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts the signal now. */
  readonly abort: (reason: Error) => void
  /** Must be called when the work is done: the timer keeps its closure in memory. */
  clear(): void
}

/** Starts a deadline that aborts with the reason of `signal`, or after `ms` milliseconds with the error of `createError`. */
export function startDeadline(ms: number, signal: AbortSignal, createError: () => Error): Deadline {
  const abort = new AbortController()
  const follow = () => {
    clearTimeout(timer)
    abort.abort(signal.reason)
  }
  const timer = setTimeout(() => abort.abort(createError()), ms)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: abort.signal,
    abort: (reason) => abort.abort(reason),
    clear: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
