import type { Client } from 'pg'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'

export interface NotificationClientOptions {
  readonly databases: Pick<PostgresDatabases, 'connect' | 'listens'>
  /** Milliseconds between checks of the connection. Default: 10 s. */
  readonly checkMs?: number
}

interface Listener {
  readonly onMessage: (payload: string) => void
  /** The connection was opened again, or for the first time: messages before were lost. */
  readonly onConnected: () => void
}

const CHECK_MS = 10_000
const RETRY_MS = 250
const MAX_RETRY_MS = 2000

/** One connection that receives the notifications of all channels, and is opened again when it ends. */
export class NotificationClient {
  readonly #options: NotificationClientOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  #client: Client | undefined
  #connecting = false
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #closed = false

  constructor(options: NotificationClientOptions) {
    this.#options = options
  }

  /** Whether the database can notify. Otherwise nothing is received. */
  get isAvailable(): boolean {
    return this.#options.databases.listens
  }

  /** Returns a function that unsubscribes. */
  subscribe(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    if (!this.#client) this.#connect()
    else if (listeners.size === 1) void this.#listen(this.#client, [channel])
    else queueMicrotask(() => listener.onConnected())
    return () => void listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #connect(): void {
    if (this.#connecting || this.#closed) return
    if (!this.isAvailable) return this.#connectLater()
    this.#connecting = true
    void this.#open()
      .catch(() => this.#connectLater())
      .finally(() => {
        this.#connecting = false
      })
  }

  async #open(): Promise<void> {
    const client = await this.#options.databases.connect()
    if (this.#closed) return client.end()
    const lost = () => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { onMessage } of this.#listeners.get(channel) ?? []) onMessage(payload)
    })
    this.#client = client
    this.#failures = 0
    this.#checkLater(client)
    await this.#listen(client, [...this.#listeners.keys()])
  }

  async #listen(client: Client, channels: readonly string[]): Promise<void> {
    try {
      await client.query(channels.map((channel) => `LISTEN "${channel}"`).join(';'))
    } catch {
      return this.#lost(client)
    }
    for (const channel of channels)
      for (const { onConnected } of this.#listeners.get(channel) ?? []) onConnected()
  }

  /** A connection that was lost without notice, as by a firewall, would not be noticed otherwise. */
  #checkLater(client: Client): void {
    this.#timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.#checkLater(client),
        () => this.#lost(client),
      )
    }, this.#options.checkMs ?? CHECK_MS).unref()
  }

  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#timer)
    // it may be gone already
    client.end().catch(() => undefined)
    this.#connectLater()
  }

  #connectLater(): void {
    if (this.#closed) return
    const delay = Math.min(RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS)
    this.#timer = setTimeout(() => this.#connect(), delay).unref()
  }
}
