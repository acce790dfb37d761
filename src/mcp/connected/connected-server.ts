import type { Tool } from '../../agent/tools/tool.ts'
import type { ToolSource } from '../../agent/tools/tool-source.ts'
import { AppError } from '../../lib/errors.ts'
import type { McpConnection } from './connection.ts'

interface HttpServerConfig {
  /** Begins the names of its tools: a letter, then letters, digits, "_" and "-", at most 32 characters. */
  readonly id: string
  /** Where it answers Streamable HTTP. */
  readonly url: string
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

interface StdioServerConfig {
  readonly id: string
  /** A program that speaks MCP on its standard input and output; run in the project's directory. */
  readonly command: string
  readonly args?: readonly string[]
  /** Variables beside the few that are passed on by default, such as `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>
}

export type ConnectedServerConfig = HttpServerConfig | StdioServerConfig

/**
 * An MCP server elsewhere. Made by {@link connectMcpServer}; declare it in `mcpServers`, and put it among an
 * agent's `tools` to give the agent all of its tools.
 */
export class ConnectedMcpServer implements ToolSource {
  readonly kind = 'connected'
  readonly config: ConnectedServerConfig
  readonly problems: readonly string[]
  /** It serves these elsewhere. */
  readonly agents = []
  readonly workflows = []
  #connection: McpConnection | undefined

  constructor(config: ConnectedServerConfig) {
    this.config = config
    this.problems = Object.freeze(problemsOf(config))
  }

  get id(): string {
    return this.config.id
  }

  /** Its tools as they are now, named `<id>_<tool>`; none before it is connected. */
  get tools(): readonly Tool[] {
    return this.#connection?.tools ?? []
  }

  /** The connection that serves this declaration, while a server does. */
  get connection(): McpConnection | undefined {
    return this.#connection
  }

  /** Gives the declaration the connection that a server keeps for it. */
  bind(connection: McpConnection): void {
    this.#connection = connection
  }

  /** @throws AppError `invalid_config` when no server has it in `mcpServers`. */
  async ready(): Promise<void> {
    if (!this.#connection)
      throw new AppError('invalid_config', `MCP server "${this.id}" is not in mcpServers`, {
        hint: 'Add what connectMcpServer() returned to the option mcpServers',
      })
    await this.#connection.ready()
  }
}

/**
 * Declares a connection to an MCP server, over Streamable HTTP (`url`) or to a program (`command`). Tools that
 * it has are named `<id>_<tool>`. While it can't be reached it is tried again, with growing pauses.
 */
export function connectMcpServer(config: ConnectedServerConfig): ConnectedMcpServer {
  return new ConnectedMcpServer(config)
}

/** Whether `value` was made by {@link connectMcpServer}, of this or another copy of the package. */
export function isConnectedMcpServer(value: { readonly kind: string }): value is ConnectedMcpServer {
  return value.kind === 'connected' && 'bind' in value
}

const CONNECTED_ID = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

function problemsOf(config: object): string[] {
  const { id, url, headers, command, args, env, ...others } = config as Partial<
    Record<keyof HttpServerConfig | keyof StdioServerConfig, unknown>
  >
  const rules: readonly (readonly [boolean, string])[] = [
    [
      typeof id === 'string' && CONNECTED_ID.test(id),
      'the id must be a letter, then letters, digits, "_" and "-", at most 32 characters: it begins tool names',
    ],
    [(url === undefined) !== (command === undefined), 'either url or command is required'],
    [url === undefined || isHttpUrl(url), 'url must be an http(s) URL'],
    [headers === undefined || areTexts(headers), 'headers must be an object of texts'],
    [command === undefined || (typeof command === 'string' && command !== ''), 'command must be a text'],
    [args === undefined || (Array.isArray(args) && areTexts(args)), 'args must be an array of texts'],
    [env === undefined || areTexts(env), 'env must be an object of texts'],
    ...Object.keys(others).map((key) => [false, `there is no option ${key}`] as const),
  ]
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule)
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}

function areTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((entry) => typeof entry === 'string')
}
