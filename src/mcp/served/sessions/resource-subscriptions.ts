import { AppError } from '../../../lib/errors.ts'
import { EventHub } from '../../../lib/async/event-hub.ts'

const MOST = 50
const LONGEST_URI = 1024
const CHANGED = 'changed'

/** The resources that a client wants to be told of. */
export class ResourceSubscriptions {
  readonly #uris = new Set<string>()
  readonly #hub = new EventHub()
  /** Whether nobody watches them any more. */
  unwatched = false

  get uris(): ReadonlySet<string> {
    return this.#uris
  }

  /** Gives what speaks against it, if anything does. */
  add(uri: string): string | undefined {
    if (uri.length > LONGEST_URI) return `uri: must have at most ${LONGEST_URI} characters`
    if (this.#uris.size >= MOST && !this.#uris.has(uri))
      return `A client can subscribe to ${MOST} resources at once`
    this.#uris.add(uri)
    this.#hub.publish(CHANGED)
    return undefined
  }

  delete(uri: string): void {
    this.#uris.delete(uri)
    this.#hub.publish(CHANGED)
  }

  /** Calls `listener` when there are others, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#hub.subscribe(CHANGED, listener)
  }
}

/**
 * What a client of the 2026 revision subscribes to with the stream that it asks for (`SubscriptionFilter`).
 *
 * @throws AppError `invalid_input`.
 */
export function subscriptionsIn(filter: unknown): ResourceSubscriptions {
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
