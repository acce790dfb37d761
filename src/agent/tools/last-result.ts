import { setImmediate as nextTurn } from 'node:timers/promises'
import { abortableItems } from '../../lib/async/abortable.ts'

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

interface ReadOptions {
  readonly signal: AbortSignal
  /** Receives each value. */
  readonly preliminary?: ((output: unknown) => void) | undefined
}

/** Reads a generator of a tool, whose last value is the result. It is left when the call is aborted. */
export async function lastResult(
  results: AsyncIterable<unknown>,
  { signal, preliminary }: ReadOptions,
): Promise<unknown> {
  let last: unknown
  for await (const result of abortableItems(results, signal)) {
    last = result
    preliminary?.(result)
    // a generator that never waits would block the timers and sockets of the process
    await nextTurn()
  }
  return last
}
