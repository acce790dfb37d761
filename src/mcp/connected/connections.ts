import type { Logger } from 'pino'
import type { ConnectedMcpServer } from './connected-server.ts'
import { McpConnection } from './connection.ts'
import { OAuthLogin } from './oauth/oauth-login.ts'

export interface ConnectionsOptions {
  readonly root: string
  readonly logger: Logger
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  /** Where the authorization servers of MCP servers send users back to; `undefined` while nothing listens on loopback. */
  readonly redirectUrl: () => string | undefined
  /** Called with the link of each login that waits for the user. */
  readonly onLogin: (serverId: string, link: string) => void
  /** Called when {@link McpConnections.secrets} has changed. */
  readonly onSecrets: () => void
}

/** The connections of a server. They survive reloads that do not change their declaration. */
export class McpConnections {
  readonly #options: ConnectionsOptions
  #open = new Map<string, McpConnection>()

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** Binds a connection to each declaration. Connections that are no longer declared are closed. */
  setServers(declared: readonly ConnectedMcpServer[], { open }: { readonly open: boolean }): void {
    const before = this.#open
    this.#open = new Map(declared.map((server) => [keyOf(server), this.#connect(server, before)]))
    if (open) for (const connection of this.#open.values()) connection.open()
    for (const [key, connection] of before) if (!this.#open.has(key)) void connection.close()
  }

  /** Tokens of logins, to be redacted. */
  get secrets(): readonly string[] {
    return [...this.#open.values()].flatMap(({ login }) => login?.secrets ?? [])
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open = new Map()
    await Promise.all(open.map((connection) => connection.close()))
  }

  #connect(server: ConnectedMcpServer, known: ReadonlyMap<string, McpConnection>): McpConnection {
    const { config } = server
    const { root, logger, redact, onLogin } = this.#options
    const connection =
      known.get(keyOf(server)) ??
      new McpConnection({
        config,
        root,
        logger: logger.child({ mcpServer: server.id }),
        redact,
        onLogin,
        login:
          'url' in config && config.auth === 'oauth'
            ? new OAuthLogin({ clientId: undefined, scopes: undefined, ...config, ...this.#options })
            : undefined,
      })
    server.bind(connection)
    return connection
  }
}

/** Equal for equal declarations, whatever the order of their properties. */
function keyOf({ config }: ConnectedMcpServer): string {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return JSON.stringify(config, sorted)
}
