import type { LoggingLevel } from '@modelcontextprotocol/server'
import type { User } from '../../../contract/auth.ts'
import { randomHexGenerator } from '../../../lib/ids.ts'
import { readClientCapabilities } from '../requests/client-capabilities.ts'
import type { ClientCapabilities } from '../requests/client-capabilities.ts'
import { PendingRequests } from '../requests/pending-requests.ts'
import { ResourceSubscriptions } from './resource-subscriptions.ts'
import { userKey } from '../../../contract/access/user-key.ts'
import { ownerKey } from './session-owner.ts'
import type { SessionOwner } from './session-owner.ts'

/** The state of a client on revision 2025-xx between two messages. */
export interface ClientSession {
  readonly id: string
  readonly capabilities: ClientCapabilities
  readonly pendingRequests: PendingRequests
  readonly subscriptions: ResourceSubscriptions
  /** The minimum level of log records to send; `undefined` sends none. */
  level: LoggingLevel | undefined
  /** Aborts the client's open GET stream. */
  listener: AbortController | undefined
}

const ID_BYTES = 16
/** A client must not exhaust the memory. */
const MAX_SESSIONS = 1000
const MAX_SESSIONS_PER_USER = 100

interface OwnedSession {
  readonly session: ClientSession
  readonly owner: string
}

/**
 * The sessions of clients. When the limit is reached the least recently used session is deleted; its client
 * continues without a session.
 */
export class ClientSessions {
  readonly #randomHex = randomHexGenerator()
  /** Least recently used first. */
  readonly #sessions = new Map<string, OwnedSession>()

  /** Creates a session for a client that declares these capabilities. */
  create({ serverId, user }: SessionOwner, capabilities: unknown): ClientSession {
    this.#makeRoom(user)
    const session = {
      id: this.#randomHex(ID_BYTES),
      capabilities: readClientCapabilities(capabilities),
      pendingRequests: new PendingRequests(() => this.#randomHex(ID_BYTES)),
      subscriptions: new ResourceSubscriptions(),
      level: undefined,
      listener: undefined,
    }
    this.#sessions.set(session.id, { session, owner: ownerKey({ serverId, user }) })
    return session
  }

  /** The session with this id, if it belongs to this owner. */
  find(id: string, owner: SessionOwner): ClientSession | undefined {
    const found = this.#sessions.get(id)
    if (found?.owner !== ownerKey(owner)) return undefined
    this.#sessions.delete(id)
    this.#sessions.set(id, found)
    return found.session
  }

  #makeRoom(user: User | undefined): void {
    const ofUser = user === undefined ? [] : this.#idsOf(userKey(user))
    const [oldest] = this.#sessions.keys()
    if (ofUser.length >= MAX_SESSIONS_PER_USER) this.#sessions.delete(ofUser[0] ?? '')
    else if (this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete(oldest ?? '')
  }

  #idsOf(user: string): string[] {
    return [...this.#sessions].filter(([, { owner }]) => owner.endsWith(`\n${user}`)).map(([id]) => id)
  }
}
