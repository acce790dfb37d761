/** Identifies a request. The session is part of it, because two clients may use the same request ids. */
export interface RequestKey {
  readonly serverId: string
  readonly userId: string | undefined
  readonly sessionId: string
  readonly requestId: string | number
}

/** Requests in progress that their clients can cancel with `notifications/cancelled`. */
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

  /** Cancels a request; does nothing when it has ended or the key is another client's. */
  cancel(key: RequestKey, reason: Error): void {
    this.#running.get(textOf(key))?.abort(reason)
  }
}

function textOf({ serverId, userId, sessionId, requestId }: RequestKey): string {
  return JSON.stringify([serverId, userId ?? null, sessionId, requestId])
}
