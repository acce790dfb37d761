/** Who sent a request, and under which number. Two clients may use the same numbers. */
export interface RequestKey {
  readonly serverId: string
  readonly userId: string | undefined
  readonly sessionId: string
  readonly requestId: string | number
}

/** Requests under way whose client can take them back with a message of its own. */
export class RunningRequests {
  readonly #running = new Map<string, AbortController>()

  begin(key: RequestKey): { readonly signal: AbortSignal; end(): void } {
    const text = textOf(key)
    const cancelled = new AbortController()
    this.#running.set(text, cancelled)
    return {
      signal: cancelled.signal,
      end: () => {
        if (this.#running.get(text) === cancelled) this.#running.delete(text)
      },
    }
  }

  /** Nothing happens where the request has ended, or is not this client's. */
  cancel(key: RequestKey, reason: Error): void {
    this.#running.get(textOf(key))?.abort(reason)
  }
}

function textOf({ serverId, userId, sessionId, requestId }: RequestKey): string {
  return JSON.stringify([serverId, userId ?? null, sessionId, requestId])
}
