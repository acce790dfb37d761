import { createContext, Script } from 'node:vm'
import type { Context } from 'node:vm'
import { lazy } from './lazy.ts'

/** Thrown by {@link withTimeLimit} when the time limit is exceeded. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

interface Sandbox {
  readonly script: Script
  readonly context: Context
}

const sandbox = lazy((): Sandbox => ({
  script: new Script('run()'),
  context: createContext({ run: undefined }),
}))

/**
 * Runs synchronous code and terminates it after `ms` milliseconds. Uses the `timeout` of `node:vm`, since nothing else
 * in Node can stop a backtracking regular expression on the same thread. Costs about 0.1 ms per call.
 *
 * @throws TimeLimitError when the time limit is exceeded; errors of `run` are passed on.
 */
export function withTimeLimit<T>(ms: number, run: () => T): T {
  const results: { readonly value: T }[] = []
  runInSandbox(() => results.push({ value: run() }), ms)
  const [result] = results
  // `run` may have caught the timeout's error, or returned late
  if (result === undefined) throw new TimeLimitError(`Exceeded the time limit of ${ms} ms`)
  return result.value
}

/** A time limit that several calls share. */
export class TimeBudget {
  #leftMs: number

  constructor(ms: number) {
    this.#leftMs = ms
  }

  /**
   * Runs synchronous code like {@link withTimeLimit}. The first `freeMs` of the call don't count.
   *
   * @throws TimeLimitError when the time is used up, and at once from then on.
   */
  run<T>(run: () => T, freeMs: number): T {
    if (this.#leftMs <= 0) throw new TimeLimitError('The time limit was exceeded before')
    const startedAt = performance.now()
    try {
      return withTimeLimit(Math.ceil(this.#leftMs + freeMs), run)
    } finally {
      this.#leftMs -= Math.max(0, performance.now() - startedAt - freeMs)
    }
  }
}

function runInSandbox(run: () => void, timeout: number): void {
  const { script, context } = sandbox()
  const outer: unknown = context['run']
  context['run'] = run
  try {
    script.runInContext(context, { timeout })
  } catch (error) {
    if (!isTimeout(error)) throw error
  } finally {
    // calls may be nested
    context['run'] = outer
  }
}

/** Checks the code, not the class: the error belongs to the other context. */
function isTimeout(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  return 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
