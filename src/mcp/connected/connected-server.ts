import type { Tool } from '../../agent/tools/tool.ts'
import type { ToolSource } from '../../agent/tools/tool-source.ts'
import { AppError } from '../../lib/errors.ts'
import { type ConnectedServerConfig, connectedConfigProblems } from './connected-config.ts'
import type { McpConnection } from './connection.ts'

/**
 * An external MCP server. Created by {@link connectMcpServer}. List it in `mcpServers` to connect to it, and in an
 * agent's `tools` to let the agent use all of its tools.
 */
export class ConnectedMcpServer implements ToolSource {
  readonly kind = 'connected'
  readonly config: ConnectedServerConfig
  readonly problems: readonly string[]
  /** Empty: agents and workflows of an external server are not part of this configuration. */
  readonly agents = []
  readonly workflows = []
  #connection: McpConnection | undefined

  constructor(config: ConnectedServerConfig) {
    this.config = config
    this.problems = Object.freeze(connectedConfigProblems(config))
  }

  get id(): string {
    return this.config.id
  }

  /** The server's current tools, named `<id>_<tool>`; empty until it is connected. */
  get tools(): readonly Tool[] {
    return this.#connection?.tools ?? []
  }

  /** The connection of this declaration while a server runs it. */
  get connection(): McpConnection | undefined {
    return this.#connection
  }

  /** Sets the connection; called by the server that runs this declaration. */
  bind(connection: McpConnection): void {
    this.#connection = connection
  }

  /** @throws AppError `invalid_config` when the connection is not listed in `mcpServers`. */
  async ready(): Promise<void> {
    if (!this.#connection)
      throw new AppError('invalid_config', `MCP server "${this.id}" is not in mcpServers`, {
        hint: 'Add the value returned by connectMcpServer() to the option mcpServers',
      })
    await this.#connection.ready()
  }
}

/**
 * Declares a connection to an MCP server over Streamable HTTP (`url`) or to a local program (`command`). The
 * server's tools are named `<id>_<tool>`. A lost connection is retried with exponential backoff (250 ms to 30 s).
 * Problems of the declaration are reported when the configuration is loaded.
 *
 * @example
 * const github = connectMcpServer({ id: 'github', url: 'https://mcp.example.com/mcp' })
 * const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: '…', tools: [github] })
 * export default defineConfig({ agents: [clerk], mcpServers: [github] })
 */
export function connectMcpServer(config: ConnectedServerConfig): ConnectedMcpServer {
  return new ConnectedMcpServer(config)
}

/** Whether `value` was created by {@link connectMcpServer} of this or another copy of the package. */
export function isConnectedMcpServer(value: { readonly kind: string }): value is ConnectedMcpServer {
  return value.kind === 'connected' && 'bind' in value
}
