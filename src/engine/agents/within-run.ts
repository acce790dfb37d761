import type { StartedRun } from './start/run-deps.ts'

/** Runs user code so that its own spans are children of the answer's span. */
export function within<T>({ span }: StartedRun, work: () => T): T {
  return span.run(work)
}
