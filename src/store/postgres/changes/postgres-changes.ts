import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import { ANY_EXECUTION } from '../../remote-changes.ts'
import type { RemoteChanges } from '../../remote-changes.ts'
import type { NotificationClient } from './notification-client.ts'

/** How often watched executions are looked at where there are no notifications; half as often where these may get lost. */
const LOOK_MS = 500

export interface PostgresChangesOptions {
  readonly databases: Pick<PostgresDatabases, 'reads' | 'schema'>
  readonly ownerEpoch: number
  readonly notifications: NotificationClient
  /** Notifies the other machines of executions. */
  readonly announce: (executionIds: readonly string[]) => void
}

type Follower = Parameters<RemoteChanges['follow']>[0]

/** Changes by other machines: by notification, and by a look at what is watched here. */
export class PostgresChanges implements RemoteChanges {
  readonly #options: PostgresChangesOptions
  readonly #followers = new Set<Follower>()
  /** The state of each watched topic when it was last looked at. */
  #seen = new Map<string, string | undefined>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #unsubscribe: (() => void) | undefined

  constructor(options: PostgresChangesOptions) {
    this.#options = options
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    if (this.#followers.size === 1) this.#start()
    return () => {
      this.#followers.delete(follower)
      if (this.#followers.size === 0) this.#stop()
    }
  }

  announce(executionIds: readonly string[]): void {
    this.#options.announce(executionIds)
  }

  #start(): void {
    const { notifications, databases } = this.#options
    this.#unsubscribe = notifications.subscribe(databases.schema, {
      onMessage: (payload) => this.#onMessage(payload),
      onConnected: () => {
        // what was reported before may not have been read
        this.#seen.clear()
        this.#look()
      },
    })
    let isTurn = false
    this.#timer = setInterval(() => {
      isTurn = !isTurn
      if (isTurn || !notifications.isAvailable) this.#look()
    }, LOOK_MS).unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#unsubscribe?.()
    this.#seen.clear()
  }

  #onMessage(payload: string): void {
    const [sender, ...ids] = payload.split(' ')
    if (Number(sender) === this.#options.ownerEpoch) return
    for (const { onChange } of this.#followers) {
      for (const id of ids) onChange(id)
      onChange(ANY_EXECUTION)
    }
  }

  #look(): void {
    const topics = new Set<string>()
    for (const { watched } of this.#followers) for (const topic of watched()) topics.add(topic)
    for (const topic of this.#seen.keys()) if (!topics.has(topic)) this.#seen.delete(topic)
    if (topics.size === 0 || this.#isLooking) return
    this.#isLooking = true
    this.#compare(topics)
      // while the database can't be used, its health reports that; what is reported then may not be read
      .catch(() => this.#seen.clear())
      .finally(() => {
        this.#isLooking = false
      })
  }

  async #compare(topics: ReadonlySet<string>): Promise<void> {
    const states = await this.#read(topics)
    for (const topic of topics) {
      const state = states.get(topic)
      // also when it is looked at for the first time: it may have changed since it is watched
      if (this.#seen.has(topic) && this.#seen.get(topic) === state) continue
      this.#seen.set(topic, state)
      for (const { onChange } of this.#followers) onChange(topic)
    }
  }

  async #read(topics: ReadonlySet<string>): Promise<Map<string, string>> {
    const { databases, ownerEpoch } = this.#options
    // events of this process's own executions are published where they are written
    const text = `
      SELECT id AS topic, concat_ws(' ', status, owner_epoch, CASE WHEN owner_epoch <> $2 THEN last_sequence END,
        md5(suspend_request)) AS state
      FROM executions WHERE id = ANY($1)
      UNION ALL
      SELECT id, concat_ws(' ', status, owner_epoch, CASE WHEN owner_epoch <> $2 AND continuation IS NOT NULL
        THEN (SELECT max(seq) FROM agent_parts WHERE run = agent_runs.number) END)
      FROM agent_runs WHERE id = ANY($1)
      UNION ALL
      SELECT $3, milestone::text FROM counters WHERE $3 = ANY($1)`
    const values = [[...topics], ownerEpoch, ANY_EXECUTION]
    const rows = await databases.reads.rows<{ topic: string; state: string }>({ text, values })
    const states = new Map<string, string>()
    // an answer that is an execution is both
    for (const { topic, state } of rows) states.set(topic, [states.get(topic), state].join(' '))
    return states
  }
}
