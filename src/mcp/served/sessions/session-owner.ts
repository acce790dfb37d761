import type { User } from '../../../contract/auth.ts'

/** Whose something is that is kept for a client: it is nobody else's, nor any other server's. */
export interface SessionOwner {
  readonly serverId: string
  readonly user: User | undefined
}

export function ownerKey({ serverId, user }: SessionOwner): string {
  return `${serverId}\n${userKey(user)}`
}

/** Where a provider tells no id, all it tells is what a user is known by. */
export function userKey(user: User | undefined): string {
  return JSON.stringify(user === undefined ? null : (user.id ?? user))
}
