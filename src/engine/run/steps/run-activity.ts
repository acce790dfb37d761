import { createDeferred } from '../../../lib/async/wake-up.ts'

/** How many branches of a run do something, so that a run in which all branches wait can be suspended. */
export class RunActivity {
  /** The workflow's own chain of steps is the first. */
  #active = 1
  readonly #onIdle = new Set<() => void>()

  /** Branches have started, or ended. */
  change(by: number): void {
    this.#active += by
    // a group whose last branch has ended continues in this turn
    if (this.#active === 0 && this.#onIdle.size > 0) setImmediate(() => this.#checkIdle())
  }

  /** Waits until something happens, or until every branch waits: `idle`. */
  async wait(happens: Promise<void>): Promise<'happened' | 'idle'> {
    const idle = createDeferred<'idle'>()
    const onIdle = () => idle.resolve('idle')
    this.#onIdle.add(onIdle)
    this.change(-1)
    try {
      return await Promise.race([happens.then(() => 'happened' as const), idle.promise])
    } finally {
      this.#onIdle.delete(onIdle)
      this.change(1)
    }
  }

  #checkIdle(): void {
    if (this.#active > 0) return
    for (const onIdle of this.#onIdle) onIdle()
  }
}
