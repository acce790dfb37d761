import type { User } from './auth.ts'

/** Identifies an authenticated user: JSON of the id, or of all claims when the auth provider returns no id. */
export function userKey(user: User): string {
  return JSON.stringify(user.id ?? user)
}

/** The id in a user's key; `undefined` for a user without one. */
export function idOfKey(key: string): string | undefined {
  const id = JSON.parse(key) as string | number | object
  return typeof id === 'object' ? undefined : String(id)
}

/** The id by which records name an authenticated user. */
export function idOfUser(user: User | undefined): string | undefined {
  return user && idOfKey(userKey(user))
}
