/**
 * Passes a value to `use`: now if it is known, otherwise once it is. An async function would wait a turn, and make
 * promises, also for what is known.
 */
export function passOn<T, U>(value: T | Promise<T>, use: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Does work that may be known at once, as in {@link passOn}. What it throws, or rejects with, is passed to `failed`. */
export function catching<T>(
  work: () => T | Promise<T>,
  failed: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}
