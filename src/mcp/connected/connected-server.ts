import { requireObject } from '../../lib/require-object.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import type { ToolSource } from '../../agent/tools/tool-source.ts'
import type {
  McpListedPrompt,
  McpListedResource,
  McpPromptMessages,
  McpResourceContents,
  McpResourceTemplate,
} from '../../contract/endpoints/mcp.ts'
import { AppError } from '../../lib/errors.ts'
import { connectedConfigProblems } from './connected-config.ts'
import type { ConnectedServerConfig } from './connected-config.ts'
import type { RequestContext } from './calls-in-flight.ts'
import type { McpConnection } from './connection.ts'
import { RemoteContent } from './remote-content.ts'

/**
 * An external MCP server. Created by {@link connectMcpServer}. List it in `mcpServers` to connect to it, and in an
 * agent's `tools` to let the agent use all of its tools.
 */
export class ConnectedMcpServer implements ToolSource {
  readonly kind = 'connected'
  /** Options of the connection. */
  readonly config: ConnectedServerConfig
  /** Problems of its declaration. */
  readonly problems: readonly string[]
  /** Empty: agents and workflows of an external server are not part of this configuration. */
  readonly agents = []
  /** Empty, as `agents`. */
  readonly workflows = []
  #connection: McpConnection | undefined

  constructor(config: ConnectedServerConfig) {
    this.config = config
    this.problems = Object.freeze(connectedConfigProblems(config))
  }

  /** Id of the server. */
  get id(): string {
    return this.config.id
  }

  /** The server's current tools, named `<id>_<tool>`; empty until it is connected. */
  get tools(): readonly Tool[] {
    return this.#connection?.tools ?? []
  }

  /**
   * The connection of this declaration while a server runs it.
   *
   * @internal
   */
  get connection(): McpConnection | undefined {
    return this.#connection
  }

  /**
   * The server's current resources; empty when it has none. The list is requested from the server each time.
   *
   * @throws AppError `unavailable` when the server is not connected or does not respond.
   */
  async resources(context?: Partial<RequestContext>): Promise<McpListedResource[]> {
    return (await this.#content()).resources(requestContext(context))
  }

  /** The server's templates for resources, such as `orders://{id}`. Otherwise as {@link resources}. */
  async resourceTemplates(context?: Partial<RequestContext>): Promise<McpResourceTemplate[]> {
    return (await this.#content()).resourceTemplates(requestContext(context))
  }

  /**
   * Reads a resource. Pass the context of a tool or step to abort with it and to record the request in its trace.
   *
   * @throws AppError `not_found` without such a resource; `unavailable` when the server is not connected or does not
   *   respond; `execution_failed` when it returns another error.
   *
   * @example
   * const { contents } = await handbook.readResource('handbook://rules')
   * const text = contents[0]?.text
   */
  async readResource(uri: string, context?: Partial<RequestContext>): Promise<McpResourceContents> {
    return (await this.#content()).readResource(uri, requestContext(context))
  }

  /** The server's current prompts. Otherwise as {@link resources}. */
  async prompts(context?: Partial<RequestContext>): Promise<McpListedPrompt[]> {
    return (await this.#content()).prompts(requestContext(context))
  }

  /**
   * Returns the messages of a prompt. Otherwise as {@link readResource}.
   *
   * @throws AppError `invalid_input` when the arguments are not valid.
   *
   * @example
   * const { messages } = await handbook.getPrompt('reply', { question: 'Where is my order?' })
   */
  async getPrompt(
    name: string,
    values: Readonly<Record<string, string>> = {},
    context?: Partial<RequestContext>,
  ): Promise<McpPromptMessages> {
    return (await this.#content()).getPrompt(name, values, requestContext(context))
  }

  /**
   * Sets the connection; called by the server that runs this declaration.
   *
   * @internal
   */
  bind(connection: McpConnection): void {
    this.#connection = connection
  }

  /**
   * Resolves when the tools are known.
   *
   * @throws AppError `invalid_config` when the connection is not listed in `mcpServers`.
   */
  async ready(): Promise<void> {
    await this.#ready()
  }

  async #ready(): Promise<McpConnection> {
    if (!this.#connection)
      throw new AppError('invalid_config', `MCP server "${this.id}" is not in mcpServers`, {
        hint: 'Add the value returned by connectMcpServer() to the option mcpServers',
      })
    await this.#connection.ready()
    return this.#connection
  }

  async #content(): Promise<RemoteContent> {
    return new RemoteContent(this.id, await this.#ready())
  }
}

function requestContext(context: Partial<RequestContext> = {}): RequestContext {
  return { ...context, signal: context.signal ?? new AbortController().signal }
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
  requireObject('connectMcpServer', 'config', config)
  return new ConnectedMcpServer(config)
}

/** Whether `value` was created by {@link connectMcpServer} of this or another copy of the package. */
export function isConnectedMcpServer(value: { readonly kind: string }): value is ConnectedMcpServer {
  return value.kind === 'connected' && 'bind' in value
}
