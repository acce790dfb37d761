import type { User } from '../contract/auth.ts'

/** An admitted request: its user, if any, and the credential that admitted it. */
export interface Admission {
  readonly user: User | undefined
  readonly by: 'public' | 'console' | 'user' | 'bypass'
  /** The console key came beside a user's token: the user is an operator as well. */
  readonly hasKey?: boolean
  /** On a public route: the user, once the provider has answered. The route did not wait for it. */
  readonly identified?: Promise<User | undefined>
}
