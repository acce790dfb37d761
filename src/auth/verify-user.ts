import type { AuthProvider, User } from '../contract/auth.ts'

/** A provider that takes longer refuses the token. */
const VERIFY_MS = 10_000

/**
 * Asks the provider for the user of a token. Resolves to `undefined` when it returns anything but an object,
 * throws, or takes over 10 seconds.
 */
export async function verifyUser(
  provider: AuthProvider,
  token: string,
  request: Request,
): Promise<User | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), VERIFY_MS)
  })
  try {
    const user = await Promise.race([provider.verifyToken(token, request), timeout])
    return typeof user === 'object' && user !== null && !Array.isArray(user) ? user : undefined
  } catch {
    // an expired or forged token; the reason is not disclosed to the client
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/**
 * As {@link verifyUser}, but does not wait for a provider that is not local: resolves to `undefined` unless it answers
 * without I/O.
 */
export async function userAtOnce(
  provider: AuthProvider,
  user: Promise<User | undefined>,
): Promise<User | undefined> {
  return provider.local === true ? user : Promise.race([user, beforeIo()])
}

/** Resolves once all work is done that needs no I/O: Node runs microtasks before the next tick. */
async function beforeIo(): Promise<undefined> {
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
  return undefined
}
