import type { PostgresDatabases } from '../connection/postgres-databases.ts'

/** Changes are collected for this time. */
const COLLECT_MS = 5
/** Between two notifications: each is a transaction of its own. */
const INTERVAL_MS = 25
/** Postgres limits a notification to 8000 bytes. */
const MAX_BYTES = 7900
/** Of ids that could not be sent. Receivers also look at intervals. */
const MAX_WAITING = 20_000

export interface ChangeNotifierOptions {
  readonly databases: Pick<PostgresDatabases, 'writes' | 'schema'>
  readonly ownerEpoch: number
}

/** Notifies the other machines of the executions that this one has changed. */
export class ChangeNotifier {
  readonly #options: ChangeNotifierOptions
  readonly #ids = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #sentAt = -Infinity
  #closed = false

  constructor(options: ChangeNotifierOptions) {
    this.#options = options
  }

  /** To be called after the commit. */
  onCommitted(ids: readonly string[]): void {
    if (this.#closed) return
    for (const id of ids) if (this.#ids.size < MAX_WAITING) this.#ids.add(id)
    this.#sendLater()
  }

  /** Sends what was collected. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#sending
    await this.#send()
  }

  #sendLater(): void {
    if (this.#sending || this.#closed || this.#ids.size === 0) return
    const wait = Math.max(COLLECT_MS, this.#sentAt + INTERVAL_MS - performance.now())
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sentAt = performance.now()
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined
        this.#sendLater()
      })
    }, wait).unref()
  }

  async #send(): Promise<void> {
    const { databases, ownerEpoch } = this.#options
    const messages = messagesOf(ownerEpoch, this.#ids)
    this.#ids.clear()
    if (messages.length === 0) return
    const text = 'SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message'
    // when the database can't be used, the receivers look when it can again
    await databases.writes
      .rows({ text, values: [databases.schema, messages], name: 'notify' })
      .catch(() => undefined)
  }
}

/** The notifications of changed executions: the epoch of the sender and ids, separated by spaces. */
function messagesOf(ownerEpoch: number, ids: Iterable<string>): string[] {
  const messages: string[] = []
  let message = ''
  for (const id of ids) {
    if (message !== '' && message.length + 1 + id.length > MAX_BYTES) {
      messages.push(message)
      message = ''
    }
    message = message === '' ? `${ownerEpoch} ${id}` : `${message} ${id}`
  }
  return message === '' ? messages : [...messages, message]
}
