import type { User } from '../../../contract/auth.ts'
import { userKey } from '../../../contract/access/user-key.ts'

/** The owner of state that is stored for a client: one user at one served server. */
export interface SessionOwner {
  readonly serverId: string
  readonly user: User | undefined
}

export function ownerKey({ serverId, user }: SessionOwner): string {
  return `${serverId}\n${user === undefined ? '' : userKey(user)}`
}
