import { setTimeout } from 'node:timers/promises'

/** Waits until a condition is true, and returns its value. The error after `ms` names what was waited for. */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string | (() => string) = String(condition),
  ms = 60_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > end)
      throw new Error(`Timed out waiting for ${typeof what === 'string' ? what : what()}`)
    await setTimeout(5)
  }
}
