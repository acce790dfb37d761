/** Listeners by topic, called in the order of their subscription. Topics without listeners are removed. */
export class EventHub<Message = void> {
  readonly #listeners = new Map<string, Set<(message: Message) => void>>()

  /** Calls `listener` for each message on the topic. Returns a function that unsubscribes. */
  subscribe(topic: string, listener: (message: Message) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic)
    }
  }

  /** Whether the topic has listeners. */
  has(topic: string): boolean {
    return this.#listeners.has(topic)
  }

  /** The topics that have listeners. */
  topics(): Iterable<string> {
    return this.#listeners.keys()
  }

  publish(topic: string, message: Message): void {
    const listeners = this.#listeners.get(topic)
    if (listeners) for (const listener of listeners) listener(message)
  }
}
