import type { User } from '../../../contract/auth.ts'

/** The owner of state that is stored for a client: one user at one served server. */
export interface SessionOwner {
  readonly serverId: string
  readonly user: User | undefined
}

export function ownerKey({ serverId, user }: SessionOwner): string {
  return `${serverId}\n${userKey(user)}`
}

/** Identifies a user by id, or by all claims when the auth provider returns no id. */
export function userKey(user: User | undefined): string {
  return JSON.stringify(user === undefined ? null : (user.id ?? user))
}
