import { randomUUID } from 'node:crypto'
import type { AgentServerConfig } from '../config/config.ts'
import type { AuthProvider, User } from '../contract/auth.ts'

/** The users of a test runner. Each gets a token; the configuration's own provider is not called. */
export class TestUsers {
  readonly #users = new Map<string, User>()

  /** A token of the user. */
  tokenOf(user: User): string {
    const token = randomUUID()
    this.#users.set(token, user)
    return token
  }

  /** The configuration with a provider that knows these users. Its access rules stay as they are. */
  authenticate(config: AgentServerConfig): AgentServerConfig {
    const provider: AuthProvider = {
      type: 'test',
      verifyToken: (token) => this.#users.get(token),
    }
    const { auth, authNext, ...others } = config
    if (authNext === undefined && auth !== undefined) {
      const { publicRoutes = [], defaultPrivate = false } = auth
      return { ...others, auth: { ...provider, publicRoutes, defaultPrivate } }
    }
    const publicRoutes = [...(authNext?.provider.publicRoutes ?? []), ...(authNext?.publicRoutes ?? [])]
    return { ...others, authNext: { ...authNext, provider, publicRoutes } }
  }
}
