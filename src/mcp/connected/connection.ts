import type { Client, ServerCapabilities, Tool as McpTool, Transport } from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Tool } from '../../agent/tools/tool.ts'
import { ATTRIBUTE } from '../../contract/attributes.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { delay } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import type { Attributes, OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import { failTool, withMcpSpan } from '../mcp-span.ts'
import { CallsInFlight, NO_TIMEOUT_MS } from './calls-in-flight.ts'
import type { RequestContext } from './calls-in-flight.ts'
import type { ConnectedServerConfig } from './connected-config.ts'
import type { OAuthLogin } from './oauth/oauth-login.ts'
import { limitedFetch } from './limited-fetch.ts'
import { noResponse, reasonOf, serverErrorCode } from './connection-errors.ts'
import { failureText, remoteTools } from './remote-tool.ts'
import type { CallRemote, RemoteTool } from './remote-tool.ts'
import { answerServerRequests, declaredCapabilities } from './server-requests.ts'
import { failTruncatedResponses } from './truncated-responses.ts'

export interface ConnectionOptions {
  readonly config: ConnectedServerConfig
  readonly root: string
  readonly logger: Logger
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  /** With `auth: 'oauth'`. */
  readonly login?: OAuthLogin | undefined
  /** Called with the link of each login that waits for the user. */
  readonly onLogin: (serverId: string, link: string) => void
}

/** The server's description of itself. */
export interface ServerFacts {
  readonly name: string
  readonly version: string
  readonly description: string | undefined
  readonly capabilities: ServerCapabilities
}

interface RequestTarget {
  readonly method: string
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string
  /** Default: 5 minutes. */
  readonly timeoutMs?: number
}

interface SendOptions {
  readonly signal: AbortSignal
  readonly timeout: number
  readonly span: OpenSpan
}

/** A restart of a server is noticed soon, and an outage costs little. */
const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 30_000
const CONNECT_TIMEOUT_MS = 15_000
const CHECK_INTERVAL_MS = 30_000
const CALL_TIMEOUT_MS = 300_000
/** The maximum time that ready() waits for the first connection attempt. */
const READY_TIMEOUT_MS = 5000

const NEEDS_LOGIN = 'needs a login, in the console or by the link in the terminal of the server'

/** Maintains the connection to one MCP server: connects, lists its tools, and reconnects when it is lost. */
export class McpConnection {
  readonly #options: ConnectionOptions
  readonly #closing = new AbortController()
  readonly #first = createDeferred<void>()
  #running: Promise<void> | undefined
  #client: Client | undefined
  /** Resolves when a call failed, so that the connection should be checked now. */
  #suspicion = createDeferred<void>()
  readonly #calls = new CallsInFlight()
  #tools: readonly RemoteTool[] = []
  #toolList: readonly Tool[] = []
  #listed = ''
  #facts: ServerFacts | undefined
  #error: string | undefined
  #attributes: Attributes = {}
  /** The link of the login that the user was told. */
  #announced: string | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Redacts secrets in an error message of the server. */
  redact(text: string): string {
    return this.#options.redact(text)
  }

  get status(): 'ready' | 'connecting' | 'login' | 'error' {
    if (this.#client) return 'ready'
    if (this.login?.isNeeded === true) return 'login'
    return this.#error === undefined ? 'connecting' : 'error'
  }

  /** The reason of the last failure, while disconnected. */
  get error(): string | undefined {
    return this.#client ? undefined : this.#error
  }

  /** The login of the user, with `auth: 'oauth'`. */
  get login(): OAuthLogin | undefined {
    return this.#options.login
  }

  /** The last known description; kept while disconnected. */
  get facts(): ServerFacts | undefined {
    return this.#facts
  }

  /** The last known tools; kept while disconnected. */
  get tools(): readonly Tool[] {
    return this.#toolList
  }

  get remoteTools(): readonly RemoteTool[] {
    return this.#tools
  }

  /** Starts connecting in the background. */
  open(): void {
    this.#running ??= this.#run(this.#closing.signal)
  }

  /** Resolves when the first attempt has succeeded or failed, but after 5 seconds at the latest. */
  async ready(): Promise<void> {
    this.open()
    const timer = new AbortController()
    const timeout = delay(READY_TIMEOUT_MS, timer.signal).catch(() => undefined)
    await Promise.race([this.#first.promise, timeout])
    timer.abort()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#first.resolve()
    await this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#session(signal, () => (failures = 0))
        this.#error = 'The connection was lost'
      } catch (error) {
        this.#error = reasonOf(error)
      }
      this.#first.resolve()
      if (signal.aborted) return
      if (this.login?.isNeeded === true && (await this.#waitForLogin(this.login, signal))) {
        failures = -1
        continue
      }
      if (failures === 0) logger.warn({ reason: this.#error }, 'MCP server is not connected')
      const backoff = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** failures)
      await delay(backoff, signal).catch(() => undefined)
    }
  }

  /** Waits until the user has logged in. `false`: no login could be started. */
  async #waitForLogin(login: OAuthLogin, signal: AbortSignal): Promise<boolean> {
    const { config, logger, onLogin } = this.#options
    this.#error = NEEDS_LOGIN
    try {
      const link = await login.start()
      if (link !== this.#announced) {
        this.#announced = link
        logger.warn('MCP server needs a login')
        onLogin(config.id, link)
      }
      await login.settled(signal)
      return true
    } catch (error) {
      logger.debug({ err: error }, 'The login of an MCP server could not be started')
      this.#error = `${NEEDS_LOGIN}: ${this.redact(reasonOf(error))}`
      return false
    }
  }

  /** Connects and then polls the server until the connection is lost or closed. */
  async #session(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const mcp = await import('@modelcontextprotocol/client')
    const { config, logger } = this.#options
    const lost = new AbortController()
    const client = new mcp.Client(
      { name: 'agentserver', version: VERSION },
      {
        // version negotiation would start a local program twice
        versionNegotiation: { mode: 'url' in config ? 'auto' : 'legacy' },
        capabilities: declaredCapabilities(config),
        listChanged: { tools: { onChanged: (_, tools) => tools && this.#setTools(tools) } },
      },
    )
    answerServerRequests(client, { mcp, config, calls: this.#calls, logger })
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no EventTarget
    client.onclose = () => lost.abort()
    const end = AbortSignal.any([signal, lost.signal])
    try {
      const transport = await clientTransport(this.#options)
      await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS, signal: end })
      this.#attributes = connectionAttributes(config, {
        protocolVersion: client.getNegotiatedProtocolVersion(),
        sessionId: transport.sessionId,
      })
      this.#connected(client, await listTools(client, end))
      onConnected()
      logger.info({ tools: this.#tools.length }, 'MCP server is connected')
      while (!end.aborted) {
        await this.#waitForCheck(end)
        if (!end.aborted) this.#setTools(await listTools(client, end))
      }
    } finally {
      this.#client = undefined
      await client.close()
    }
  }

  /** Waits for the next check interval, or until a call fails. */
  async #waitForCheck(end: AbortSignal): Promise<void> {
    this.#suspicion = createDeferred()
    const waiting = new AbortController()
    const pause = delay(CHECK_INTERVAL_MS, AbortSignal.any([end, waiting.signal])).catch(() => undefined)
    await Promise.race([pause, this.#suspicion.promise])
    waiting.abort()
  }

  #connected(client: Client, tools: readonly McpTool[]): void {
    const { name = this.#options.config.id, version = '' } = client.getServerVersion() ?? {}
    const description = client.getInstructions()
    this.#facts = { name, version, description, capabilities: client.getServerCapabilities() ?? {} }
    this.#setTools(tools)
    this.#client = client
    this.#error = undefined
    this.#first.resolve()
  }

  #setTools(listed: readonly McpTool[]): void {
    const text = JSON.stringify(listed)
    // unchanged tools stay the same objects, so that their compiled schemas are reused
    if (text === this.#listed) return
    this.#listed = text
    const { config, logger } = this.#options
    this.#tools = remoteTools(listed, {
      serverId: config.id,
      call: this.#call,
      warn: (text) => logger.warn(text),
    })
    this.#toolList = this.#tools.map(({ tool }) => tool)
  }

  readonly #call: CallRemote = (name, input, context) =>
    this.request({ method: 'tools/call', target: name }, context, async (client, { span, ...options }) => {
      // the MCP conventions put the trace context into _meta on every transport
      const params = { name, arguments: input, _meta: span.toHeaders() }
      const result = await client.callTool(params, options)
      if (result.isError === true) failTool(span, failureText(name, result))
      return result
    })

  /**
   * Sends a request within a span. Requests of the server meanwhile are answered by the caller.
   *
   * @throws AppError `unavailable` when there is no connection or no response; the `ProtocolError` of the SDK when the
   *   server responds with an error.
   */
  request<T>(
    { method, target, timeoutMs = CALL_TIMEOUT_MS }: RequestTarget,
    context: RequestContext,
    send: (client: Client, options: SendOptions) => Promise<T>,
  ): Promise<T> {
    const { id: serverId } = this.#options.config
    const call = { serverId, method, target, kind: 'client', connection: this.#attributes } as const
    return withMcpSpan(context.trace ?? NO_TRACE, call, async (span) => {
      const client = this.#client
      if (!client) {
        const reason = this.#error ?? 'not yet'
        throw new AppError('unavailable', `MCP server "${serverId}" is not connected: ${reason}`)
      }
      try {
        return await this.#calls.run(context, timeoutMs, (signal) =>
          send(client, { signal, span, timeout: NO_TIMEOUT_MS }),
        )
      } catch (error) {
        context.signal.throwIfAborted()
        if (serverErrorCode(error) !== undefined) throw error
        this.#suspicion.resolve()
        throw noResponse(serverId, error)
      }
    })
  }
}

async function listTools(client: Client, signal: AbortSignal): Promise<readonly McpTool[]> {
  if (!client.getServerCapabilities()?.tools) {
    await client.ping({ timeout: CONNECT_TIMEOUT_MS, signal })
    return []
  }
  return (await client.listTools(undefined, { timeout: CONNECT_TIMEOUT_MS, signal, cacheMode: 'refresh' }))
    .tools
}

interface TransportOptions {
  readonly config: ConnectedServerConfig
  /** The working directory of local programs. */
  readonly root: string
  readonly logger: Logger
  readonly login?: OAuthLogin | undefined
}

/** The maximum length of a logged line of a program's standard error, in characters. */
const MAX_LOG_LINE = 10_000

/** Creates the transport to a server. The SDK is imported with the first connection. */
async function clientTransport({ config, root, logger, login }: TransportOptions): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { url, headers = {} } = config
    const options = {
      requestInit: { headers: { ...headers } },
      fetch: limitedFetch(),
      ...(login && { authProvider: login.authProvider }),
    }
    return failTruncatedResponses(new StreamableHTTPClientTransport(new URL(url), options))
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio')
  const { command, args = [], env = {} } = config
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    cwd: root,
    stderr: 'pipe',
  })
  const lines = createInterface({ input: transport.stderr as Readable })
  lines.on('line', (line) => logger.info(line.slice(0, MAX_LOG_LINE)))
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    const { pid } = transport
    // close() gives the program time to exit; if this process exits first, kill the program
    const kill = () => killNow(pid)
    process.once('exit', kill)
    lines.once('close', () => process.off('exit', kill))
  }
  return transport
}

function killNow(pid: number | null): void {
  if (pid === null) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // the program has exited already
  }
}

interface Negotiated {
  readonly protocolVersion: string | undefined
  readonly sessionId: string | undefined
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The attributes of a connection, for the spans of its calls (OpenTelemetry conventions for MCP). */
function connectionAttributes(
  config: ConnectedServerConfig,
  { protocolVersion, sessionId }: Negotiated,
): Attributes {
  const session = { [ATTRIBUTE.mcpProtocolVersion]: protocolVersion, [ATTRIBUTE.mcpSessionId]: sessionId }
  if (!('url' in config)) return { ...session, [ATTRIBUTE.transport]: 'pipe' }
  const { hostname, port, protocol } = new URL(config.url)
  return {
    ...session,
    [ATTRIBUTE.transport]: 'tcp',
    [ATTRIBUTE.protocol]: 'http',
    [ATTRIBUTE.serverAddress]: hostname,
    [ATTRIBUTE.serverPort]: port === '' ? PORTS[protocol] : Number(port),
  }
}
