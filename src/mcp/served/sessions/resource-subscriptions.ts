import { AppError } from '../../../lib/errors.ts'
import { EventHub } from '../../../lib/async/event-hub.ts'

/** A client must not exhaust the memory. */
const MAX_SUBSCRIPTIONS = 50
const MAX_URI_LENGTH = 1024
const CHANGED = 'changed'

/** The resource subscriptions of a client. */
export class ResourceSubscriptions {
  readonly #uris = new Set<string>()
  readonly #hub = new EventHub()
  /** Whether the client disconnected, so that changes may have been missed. */
  unwatched = false

  get uris(): ReadonlySet<string> {
    return this.#uris
  }

  /** Adds a subscription. Returns a problem text when the URI is too long or the limit is reached. */
  add(uri: string): string | undefined {
    if (uri.length > MAX_URI_LENGTH) return `uri: must have at most ${MAX_URI_LENGTH} characters`
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri))
      return `A client can subscribe to at most ${MAX_SUBSCRIPTIONS} resources`
    this.#uris.add(uri)
    this.#hub.publish(CHANGED)
    return undefined
  }

  delete(uri: string): void {
    this.#uris.delete(uri)
    this.#hub.publish(CHANGED)
  }

  /** Calls `listener` when the subscriptions change. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    return this.#hub.subscribe(CHANGED, listener)
  }
}

/**
 * Reads the subscriptions that a client on revision 2026-xx sends with `subscriptions/listen`
 * (`SubscriptionFilter`).
 *
 * @throws AppError `invalid_input` when a URI is too long or the limit is reached.
 */
export function readSubscriptions(filter: unknown): ResourceSubscriptions {
  const subscriptions = new ResourceSubscriptions()
  if (typeof filter !== 'object' || filter === null) return subscriptions
  const { resourceSubscriptions } = filter as Readonly<Record<string, unknown>>
  if (!Array.isArray(resourceSubscriptions)) return subscriptions
  for (const uri of resourceSubscriptions.filter((one) => typeof one === 'string')) {
    const problem = subscriptions.add(uri)
    if (problem !== undefined) throw new AppError('invalid_input', problem)
  }
  return subscriptions
}
