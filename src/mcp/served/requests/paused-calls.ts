import { randomHexGenerator } from '../../../lib/ids.ts'
import { ownerKey, type SessionOwner } from '../sessions/session-owner.ts'
import type { PausableCall } from './input-required.ts'

const MOST = 1000
const MOST_OF_AN_OWNER = 50
const STATE_BYTES = 16

interface Paused {
  readonly call: PausableCall
  readonly owner: string
}

/** Calls of clients of the 2026 revision that asked something: their clients come back with the answers. */
export class PausedCalls {
  readonly #randomHex = randomHexGenerator()
  readonly #paused = new Map<string, Paused>()

  /** Whether one more may wait for this owner. */
  hasRoom(owner: SessionOwner): boolean {
    if (this.#paused.size >= MOST) return false
    const key = ownerKey(owner)
    const waiting = [...this.#paused.values()].filter((one) => one.owner === key)
    return waiting.length < MOST_OF_AN_OWNER
  }

  /** Keeps a call; gives the state that its client brings it back with, once. */
  add(call: PausableCall, owner: SessionOwner): string {
    const state = this.#randomHex(STATE_BYTES)
    this.#paused.set(state, { call, owner: ownerKey(owner) })
    return state
  }

  /** Hands a call of this tool back to its client. */
  take(state: string, owner: SessionOwner, tool: string): PausableCall | undefined {
    const paused = this.#paused.get(state)
    if (paused?.owner !== ownerKey(owner) || paused.call.tool !== tool) return undefined
    this.#paused.delete(state)
    return paused.call
  }

  /** Forgets a call that has ended without its client. */
  delete(state: string): void {
    this.#paused.delete(state)
  }
}
