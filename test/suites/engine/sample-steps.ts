import { delay } from '../../../src/lib/clock.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'

/** Waits; tests use it for what must take a little while. */
export function sleep(ms: number): Promise<void> {
  return delay(ms, new AbortController().signal)
}

/** A step that gives a value, after a while. */
export function giving<T>(id: string, value: T, ms = 0) {
  return andThen({
    id,
    execute: async () => {
      if (ms > 0) await sleep(ms)
      return value
    },
  })
}

/** A step that fails, after a while. */
export function failing(id: string, ms = 0) {
  return andThen({
    id,
    execute: async (): Promise<string> => {
      if (ms > 0) await sleep(ms)
      throw new Error(`${id} failed`)
    },
  })
}

/** A step that never ends, and notes its id when its signal aborts. */
export function never(id: string, aborted: string[] = []) {
  return andThen({
    id,
    execute: ({ signal }) => {
      signal.addEventListener('abort', () => aborted.push(id))
      return new Promise<string>(() => undefined)
    },
  })
}

/** A step that suspends until it is resumed, and then gives what it was resumed with. */
export function suspending(id: string) {
  return andThen({
    id,
    execute: ({ suspend, resumeData }): unknown => resumeData ?? suspend(`${id} asks`, { asked: id }),
  })
}
