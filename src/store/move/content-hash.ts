import { createHash } from 'node:crypto'
import type { MovedValue } from './moved-part.ts'

const MODULUS = 1n << 256n

/** The number of rows and a hash of their contents, in whatever order they are added. */
export class ContentHash {
  rows = 0
  #sum = 0n

  add(values: readonly MovedValue[]): void {
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex')
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS
    this.rows += 1
  }

  equals(other: ContentHash): boolean {
    return this.rows === other.rows && this.#sum === other.#sum
  }
}
