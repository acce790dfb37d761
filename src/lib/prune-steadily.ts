/** Records deleted per transaction, so that others hardly wait. */
const SLICE = 100

export interface PruneOptions {
  /** Each deletes up to so many records, and tells how many it deleted. */
  readonly prunes: readonly ((limit: number) => Promise<number>)[]
  readonly everyMs: number
  readonly onFailure: (error: unknown) => void
}

/** Deletes old records now and from time to time, a slice per turn of the event loop, until the returned function is called. */
export function pruneSteadily({ prunes, everyMs, onFailure }: PruneOptions): () => void {
  let stopped = false
  let busy = false
  const pruneAll = async () => {
    for (const prune of prunes) {
      while (!stopped && (await prune(SLICE)) > 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const run = () => {
    if (busy || stopped) return
    busy = true
    void pruneAll()
      .catch(onFailure)
      .finally(() => {
        busy = false
      })
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
