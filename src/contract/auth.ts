/** The authenticated user of a request. */
export interface User {
  /** Id of the user. */
  readonly id?: string
  /** Email address. */
  readonly email?: string
  /** Id of the tenant. */
  readonly tenantId?: string
  /** Role, such as `admin`. */
  readonly role?: string
  readonly [claim: string]: unknown
}

/** Authenticates users by their tokens. It is not used for console routes. */
export interface AuthProvider {
  /** The kind of provider, such as `jwt`. */
  readonly type: string
  /**
   * Returns the user of a token. The token is refused when this returns null or undefined, throws, or takes over
   * 10 seconds.
   */
  verifyToken(token: string, request: Request): Promise<User | null | undefined> | User | null | undefined
  /**
   * `verifyToken` needs no network. Public routes wait only for local providers, and for those that answer without
   * I/O; elsewhere they get the user from `identify()`.
   */
  readonly local?: boolean
  /**
   * When a token ends, in milliseconds since the epoch; event streams and WebSockets of its user end then. On public
   * routes it may be called before `verifyToken` has answered. Default: the claim `exp` of a JSON Web Token.
   */
  expiresAt?(token: string): number | undefined
  /** Patterns of public routes. */
  readonly publicRoutes?: readonly string[]
  /** Legacy `auth` only: custom and unknown routes require a token. */
  readonly defaultPrivate?: boolean
  /** The provider's own credentials, to be redacted from logs and traces. */
  secrets?(): readonly string[]
  /** Reasons why this provider can't be used. Called before a configuration is put into service. */
  problems?(production: boolean): readonly string[]
}

/** What a request does with a resource. */
export type ResourceAction =
  | 'execute'
  | 'read'
  | 'stream'
  | 'suspend'
  | 'resume'
  | 'cancel'
  | 'replay'
  | 'chat'
  | 'tool'
  | 'event'
  | 'update'
  | 'delete'

export type ResourceKind =
  | 'execution'
  | 'workflow'
  | 'agent'
  | 'conversation'
  | 'memory'
  | 'tool'
  | 'event'
  | 'schedule'
  | 'eval'
  | 'server'

/** What a request acts on. */
export interface Resource {
  /** Kind of the resource. */
  readonly kind: ResourceKind
  /** For `server`: the path of the route, such as `/observability/logs` or `/ws/logs`. */
  readonly id: string
  /**
   * The id of the authenticated user to whom the execution or the conversation belongs; missing when it is anyone's.
   * For a user without an id, the claims as JSON, which are no one's id.
   */
  readonly ownerId?: string
}

/** The question that `authorize` answers. */
export interface AuthorizeRequest {
  /** The authenticated user; `undefined` on public routes without a valid token. */
  readonly user: User | undefined
  /** What the request does with the resource. */
  readonly action: ResourceAction
  /** Resource of the request. */
  readonly resource: Resource
  /** `link`: a signed link to the execution, which names no user. Missing for requests of users. */
  readonly over?: 'link'
}

/** The option `authNext`: every route is private unless it is listed as public. */
export interface AuthNext {
  /** Verifies the tokens of users, such as `jwtAuth()`. */
  readonly provider: AuthProvider
  /** Patterns of public routes. */
  readonly publicRoutes?: readonly string[]
  /** Patterns of console routes, instead of the defaults. Spread `DEFAULT_CONSOLE_ROUTES` to extend them. */
  readonly consoleRoutes?: readonly string[]
  /**
   * Decides whether a user may do something, instead of the default rule: an execution belongs to the user who started
   * it, others can only suspend and resume it. Anything but `true` refuses: with 404 for executions, conversations and
   * working memory, with 403 otherwise. Console routes and the development bypass are not affected.
   *
   * @example
   * authorize: ({ user, action, resource }) =>
   *   user?.role === 'admin' || resource.ownerId === undefined || resource.ownerId === user?.id
   */
  readonly authorize?: (request: AuthorizeRequest) => boolean | Promise<boolean>
  /** `strict`: executions are closed to all users but the one who started them, also for suspend and resume. */
  readonly ownership?: 'strict'
  /**
   * Issuer URLs of the OAuth authorization servers whose tokens `provider` accepts, such as `https://login.example.com`.
   * With it, MCP clients find where to log in: the server publishes protected-resource metadata (RFC 9728) of its MCP
   * servers, and names it in the `WWW-Authenticate` header of their 401 responses.
   */
  readonly authorizationServers?: readonly string[]
}

export interface AuthSettings {
  /** Authentication of users, and the routes that are public or need the console key. */
  readonly authNext?: AuthNext | undefined
  /** The legacy mode, deprecated. `authNext` takes precedence. */
  readonly auth?: AuthProvider | undefined
}
