import type { Clock } from '../../src/lib/clock.ts'

/** The system clock, which a test can advance. */
export class TestClock implements Clock {
  #ahead = 0

  now(): number {
    return Date.now() + this.#ahead
  }

  advance(ms: number): void {
    this.#ahead += ms
  }
}
