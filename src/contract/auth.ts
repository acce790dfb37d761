/** Who makes a request, as the auth provider tells it. */
export interface User {
  readonly id?: string
  readonly email?: string
  readonly tenantId?: string
  readonly role?: string
  readonly [claim: string]: unknown
}

/** Recognises users by their tokens. Console routes never ask it. */
export interface AuthProvider {
  /** Names the kind, such as `jwt`. */
  readonly type: string
  /** The user of a token. A token counts as refused when this gives nothing, throws, or takes over 10 seconds. */
  verifyToken(token: string, request: Request): Promise<User | null | undefined> | User | null | undefined
  /** Route patterns that anyone may call. */
  readonly publicRoutes?: readonly string[]
  /** Legacy `auth` only: custom and unknown routes need a token. */
  readonly defaultPrivate?: boolean
  /** Credentials of its own, which are kept out of logs and traces. */
  secrets?(): readonly string[]
  /** What keeps this provider from being used; asked before a configuration is put into service. */
  problems?(production: boolean): readonly string[]
}

/** `authNext`: everything is private unless a rule says otherwise. */
export interface AuthNext {
  readonly provider: AuthProvider
  /** Route patterns that anyone may call. */
  readonly publicRoutes?: readonly string[]
  /** Replaces the default console routes; spread `DEFAULT_CONSOLE_ROUTES` to extend them. */
  readonly consoleRoutes?: readonly string[]
}

export interface AuthSettings {
  readonly authNext?: AuthNext | undefined
  /** The older mode, deprecated; `authNext` wins. */
  readonly auth?: AuthProvider | undefined
}
