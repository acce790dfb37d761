import type { LoggingLevel } from '@modelcontextprotocol/server'
import type { User } from '../../../contract/auth.ts'
import { randomHexGenerator } from '../../../lib/ids.ts'
import { abilitiesOf, type ClientAbilities } from '../requests/client-capabilities.ts'
import { ClientQuestions } from '../requests/pending-requests.ts'
import { ResourceSubscriptions } from './resource-subscriptions.ts'
import { ownerKey, userKey, type SessionOwner } from './session-owner.ts'

/** What is kept of a client of the 2025 revisions between two messages. */
export interface ClientSession {
  readonly id: string
  readonly can: ClientAbilities
  readonly questions: ClientQuestions
  readonly subscriptions: ResourceSubscriptions
  /** From which level on it wants to be told what tools log. */
  level: LoggingLevel | undefined
  /** Ends the stream on which it listens. */
  listening: AbortController | undefined
}

const ID_BYTES = 16
const MOST = 1000
const MOST_OF_A_USER = 100

interface Kept {
  readonly session: ClientSession
  readonly owner: string
}

/**
 * The sessions of clients. Those that were used least recently are forgotten when there are too many; such a
 * client goes on as one without a session.
 */
export class ClientSessions {
  readonly #randomHex = randomHexGenerator()
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>()

  /** Begins a session with a client that declares these capabilities. */
  open({ serverId, user }: SessionOwner, capabilities: unknown): ClientSession {
    this.#makeRoom(user)
    const session = {
      id: this.#randomHex(ID_BYTES),
      can: abilitiesOf(capabilities),
      questions: new ClientQuestions(() => this.#randomHex(ID_BYTES)),
      subscriptions: new ResourceSubscriptions(),
      level: undefined,
      listening: undefined,
    }
    this.#kept.set(session.id, { session, owner: ownerKey({ serverId, user }) })
    return session
  }

  /** The session of that id, where it is this owner's. */
  find(id: string, owner: SessionOwner): ClientSession | undefined {
    const kept = this.#kept.get(id)
    if (kept?.owner !== ownerKey(owner)) return undefined
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    return kept.session
  }

  #makeRoom(user: User | undefined): void {
    const ofUser = user === undefined ? [] : this.#idsOf(userKey(user))
    const [oldest] = this.#kept.keys()
    if (ofUser.length >= MOST_OF_A_USER) this.#kept.delete(ofUser[0] ?? '')
    else if (this.#kept.size >= MOST) this.#kept.delete(oldest ?? '')
  }

  #idsOf(user: string): string[] {
    return [...this.#kept].filter(([, { owner }]) => owner.endsWith(`\n${user}`)).map(([id]) => id)
  }
}
