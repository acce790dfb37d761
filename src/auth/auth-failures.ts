import type { Logger } from 'pino'
import type { AccessPolicy } from './access-policy.ts'
import { hasCredential } from './credentials.ts'
import type { GateRequest } from './gate.ts'

export interface AuthFailuresOptions {
  readonly logger: Pick<Logger, 'warn'>
  /** Called for every failure, with the credentials that the route requires. */
  readonly count: (access: string) => void
}

interface Window {
  /** Failures since the last log record. */
  count: number
  readonly timer: NodeJS.Timeout
}

/** A guessing client must not fill the log. */
const WINDOW_MS = 60_000
/** Sources that are told apart. Failures of further ones are logged together. */
const MAX_SOURCES = 1000

/**
 * Counts requests whose credentials are not valid, and logs them: the first of a source at once, further ones once a
 * minute with their number.
 */
export class AuthFailures {
  readonly #options: AuthFailuresOptions
  readonly #windows = new Map<string, Window>()

  constructor(options: AuthFailuresOptions) {
    this.#options = options
  }

  /**
   * Counts a request that the gate refused, if it has credentials.
   *
   * @param source the client's address; `undefined` for a request of this process
   */
  add({ request, target, endpoint }: GateRequest, policy: AccessPolicy, source = 'this process'): void {
    if (!hasCredential(request, target.method === 'WS')) return
    this.#options.count(policy.requirement(target, endpoint))
    const known = this.#windows.has(source) || this.#windows.size < MAX_SOURCES
    const name = known ? source : 'other addresses'
    const open = this.#windows.get(name)
    if (open) {
      open.count++
      return
    }
    this.#log(name, 1)
    this.#open(name)
  }

  /** Logs what was counted since the last records. */
  close(): void {
    for (const [source, { count, timer }] of this.#windows) {
      clearTimeout(timer)
      if (count > 0) this.#log(source, count)
    }
    this.#windows.clear()
  }

  #open(source: string): void {
    const timer = setTimeout(() => this.#next(source), WINDOW_MS)
    timer.unref()
    this.#windows.set(source, { count: 0, timer })
  }

  #next(source: string): void {
    const { count = 0 } = this.#windows.get(source) ?? {}
    this.#windows.delete(source)
    if (count === 0) return
    this.#log(source, count)
    this.#open(source)
  }

  #log(source: string, count: number): void {
    const requests = count === 1 ? '1 request' : `${count} requests`
    this.#options.logger.warn(
      { source, count },
      `Refused ${requests} with invalid credentials from ${source}`,
    )
  }
}
