import type { AuthProvider, User } from '../contract/auth.ts'

/** A provider's answer when it takes longer counts as a refusal. */
const VERIFY_MS = 10_000

/** The user of a token, or `undefined` when the provider does not accept it, for whatever reason. */
export async function verifiedUser(
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
    // an expired or forged token; the caller is told no more than that
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
