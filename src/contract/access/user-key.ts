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

/** The id by which records name an authenticated user. */
export function idOfUser(user: User | undefined): string | undefined {
  return user && idOfKey(userKey(user))
}
