import type { JsonResult } from '../../../src/lib/json/json-result.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { delay } from '../../../src/lib/clock.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'

/** Resolves after some milliseconds. For the order of timers, not for waiting until something has happened. */
export function sleep(ms: number): Promise<void> {
  return delay(ms, new AbortController().signal)
}

/** A step that returns a value, once a condition on its execution is true if there is one. */
export function giving<T extends JsonResult<T>>(
  id: string,
  value: T,
  ready?: (executionId: string) => Promise<unknown>,
) {
  return andThen({
    id,
    execute: async ({ executionId }) => {
      await ready?.(executionId)
      return value
    },
  })
}

/** A step that fails, once a condition on its execution is true if there is one. */
export function failing(id: string, ready?: (executionId: string) => Promise<unknown>) {
  return andThen({
    id,
    execute: async ({ executionId }): Promise<string> => {
      await ready?.(executionId)
      throw new Error(`${id} failed`)
    },
  })
}

/** A step that never ends, and adds its id to a list when its signal aborts. */
export function never(id: string, aborted: string[] = []) {
  return andThen({
    id,
    execute: ({ signal }) => {
      signal.addEventListener('abort', () => aborted.push(id))
      return new Promise<string>(() => undefined)
    },
  })
}

/** A step that suspends, and returns the data that it is resumed with. */
export function suspending(id: string) {
  return andThen({
    id,
    execute: ({ suspend, resumeData }): unknown => resumeData ?? suspend(`${id} asks`, { asked: id }),
  })
}

/** A step that runs until the test opens it, and returns how often it has ended. */
export function gated(id: string) {
  const reached = createDeferred<void>()
  const gate = createDeferred<void>()
  let runs = 0
  const step = andThen({
    id,
    execute: async () => {
      reached.resolve()
      await gate.promise
      return ++runs
    },
  })
  return { step, running: reached.promise, open: () => gate.resolve() }
}

/** A step whose first attempt never ends, as one that a crash interrupts; the next returns the step's data. */
export function interrupted(id: string, attempts: number[] = []) {
  return andThen({
    id,
    execute: ({ attempt, data }): Promise<unknown> => {
      attempts.push(attempt)
      return attempt === 1 ? new Promise(() => undefined) : Promise.resolve(data)
    },
  })
}
