import { isDeepStrictEqual } from 'node:util'
import type { User } from '../contract/auth.ts'
import { MAX_TIMER_MS, systemClock } from '../lib/clock.ts'
import type { Expiry, Gate } from './gate.ts'

/** Why a connection was admitted, and for how long. */
export interface Permission {
  /** The gate that admitted it. */
  readonly gate: Gate
  readonly user: User | undefined
  /** The end of the user's token. */
  readonly expiresAt: Expiry
}

/** An event stream or a WebSocket: it stays open after it was admitted. */
export interface OpenConnection {
  readonly permission: Permission
  /**
   * Checks the request that opened it again, by the rules in force.
   *
   * @throws AppError when they refuse it
   */
  readonly check: () => Promise<Permission>
  /** Ends the connection. */
  readonly end: () => void
}

/** Ends connections when their permission ends: at the expiry of the token, or by new rules. */
export class StreamPermissions {
  readonly #gate: () => Gate | undefined
  readonly #held = new Set<HeldPermission>()

  /** @param gate the gate in force */
  constructor(gate: () => Gate | undefined) {
    this.#gate = gate
  }

  /** Watches a connection until the returned function is called, which must happen when it closes. */
  hold(connection: OpenConnection): () => void {
    const held = new HeldPermission(connection)
    this.#held.add(held)
    // the rules may have changed since it was admitted
    if (connection.permission.gate !== this.#gate()) void held.renew()
    return () => {
      this.#held.delete(held)
      held.release()
    }
  }

  /** Checks all connections by new rules. Resolves when those that they refuse have ended. */
  async renew(): Promise<void> {
    await Promise.all([...this.#held].map((held) => held.renew()))
  }
}

class HeldPermission {
  readonly #connection: OpenConnection
  #expiry: Expiry
  #timer: NodeJS.Timeout | undefined
  #released = false

  constructor(connection: OpenConnection) {
    this.#connection = connection
    this.#endAtExpiry(connection.permission.expiresAt)
  }

  async renew(): Promise<void> {
    const permission = await this.#connection.check().catch(() => undefined)
    if (this.#released) return
    if (!permission || !isDeepStrictEqual(permission.user, this.#connection.permission.user)) this.#end()
    else this.#endAtExpiry(permission.expiresAt)
  }

  release(): void {
    this.#released = true
    clearTimeout(this.#timer)
  }

  #endAtExpiry(expiry: Expiry): void {
    clearTimeout(this.#timer)
    this.#expiry = expiry
    if (!(expiry instanceof Promise)) return this.#endAt(expiry)
    void expiry.then((expiresAt) => {
      // a reload may have found another one meanwhile
      if (!this.#released && this.#expiry === expiry) this.#endAt(expiresAt)
    })
  }

  #endAt(expiresAt: number | undefined): void {
    if (expiresAt === undefined) return
    const remaining = expiresAt - systemClock.now()
    const wait = Math.min(Math.max(remaining, 0), MAX_TIMER_MS)
    this.#timer = setTimeout(() => (remaining > wait ? this.#endAt(expiresAt) : this.#end()), wait)
    this.#timer.unref()
  }

  #end(): void {
    this.release()
    this.#connection.end()
  }
}
