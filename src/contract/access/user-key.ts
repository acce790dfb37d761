import type { User } from '../auth.ts'

/** Identifies an authenticated user: JSON of the id, or of all claims when the auth provider returns no id. */
export function userKey(user: User): string {
  // providers in JavaScript may return a number
  return JSON.stringify(user.id === undefined ? user : String(user.id))
}

/** The id in a user's key; `undefined` for a user without one. */
export function idOfKey(key: string): string | undefined {
  const id: unknown = JSON.parse(key)
  return typeof id === 'string' ? id : undefined
}

/** A user id that no record has: users without an id can't be told apart, and find no records. */
export const NO_USER_ID = ''

/**
 * The user id of the records that a caller means: that of the user, else the one that the request claims. Null: those
 * without a user.
 */
export function recordUserId(user: User | undefined, claimed: string | undefined): string | null {
  return user ? (idOfUser(user) ?? NO_USER_ID) : (claimed ?? null)
}

/** The user id of the records that a caller with this key may change; `null` and `undefined` stay as they are. */
export function userIdOfOwner(owner: string | null | undefined): string | null | undefined {
  return typeof owner === 'string' ? (idOfKey(owner) ?? NO_USER_ID) : owner
}

/** The id by which records name an authenticated user. */
export function idOfUser(user: User | undefined): string | undefined {
  return user && idOfKey(userKey(user))
}
