import type {
  CallToolResult,
  Client,
  ServerCapabilities,
  Tool as McpTool,
} from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import type { Tool } from '../../agent/tools/tool.ts'
import { delay } from '../../lib/clock.ts'
import { deferred } from '../../lib/async/deferred.ts'
import { NO_TRACE, type TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { failTool, withMcpSpan } from '../mcp-span.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { VERSION } from '../../lib/packages/version.ts'
import { clientTransport } from './client-transport.ts'
import type { ConnectedServerConfig } from './connected-server.ts'
import { ANSWER_CUT } from '../served/sessions/truncated-responses.ts'
import { failureText, remoteTools, type CallRemote, type RemoteTool } from './remote-tool.ts'

export interface ConnectionOptions {
  readonly config: ConnectedServerConfig
  readonly root: string
  readonly logger: Logger
}

/** What a server said about itself. */
export interface ServerFacts {
  readonly name: string
  readonly version: string
  readonly description: string | undefined
  readonly capabilities: ServerCapabilities
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
const CONNECT_MS = 15_000
const CHECK_EVERY_MS = 30_000
const CALL_MS = 300_000
/** How long those wait who need the tools while the first attempt is under way. */
const READY_MS = 5000

/** Keeps one connection to an MCP server: opens it, asks for its tools, and opens it again when it is lost. */
export class McpConnection {
  readonly #options: ConnectionOptions
  readonly #closing = new AbortController()
  readonly #first = deferred<void>()
  #running: Promise<void> | undefined
  #client: Client | undefined
  #suspicion = deferred<void>()
  #tools: readonly RemoteTool[] = []
  #toolList: readonly Tool[] = []
  #listed = ''
  #facts: ServerFacts | undefined
  #error: string | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get status(): 'ready' | 'connecting' | 'error' {
    if (this.#client) return 'ready'
    return this.#error === undefined ? 'connecting' : 'error'
  }

  /** Why it is not connected. */
  get error(): string | undefined {
    return this.#client ? undefined : this.#error
  }

  /** What it said last; kept while it is away. */
  get facts(): ServerFacts | undefined {
    return this.#facts
  }

  /** Its tools, as they were last; kept while it is away. */
  get tools(): readonly Tool[] {
    return this.#toolList
  }

  get remoteTools(): readonly RemoteTool[] {
    return this.#tools
  }

  /** Begins to connect. */
  open(): void {
    this.#running ??= this.#run(this.#closing.signal)
  }

  /** Fulfils when the first attempt has succeeded or failed, after five seconds at the latest. */
  async ready(): Promise<void> {
    this.open()
    const late = new AbortController()
    const tooLong = delay(READY_MS, late.signal).catch(() => undefined)
    await Promise.race([this.#first.promise, tooLong])
    late.abort()
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
      if (failures === 0) logger.warn({ reason: this.#error }, 'An MCP server is not connected')
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
      await delay(pause, signal).catch(() => undefined)
    }
  }

  /** From connecting until the connection is lost. */
  async #session(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const { Client } = await import('@modelcontextprotocol/client')
    const { config } = this.#options
    const lost = new AbortController()
    const client = new Client(
      { name: 'agentserver', version: VERSION },
      {
        // asking a program first would start it twice
        versionNegotiation: { mode: 'url' in config ? 'auto' : 'legacy' },
        listChanged: { tools: { onChanged: (_, tools) => tools && this.#take(tools) } },
      },
    )
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client has no other
    client.onclose = () => lost.abort()
    const end = AbortSignal.any([signal, lost.signal])
    try {
      await client.connect(await clientTransport(this.#options), { timeout: CONNECT_MS, signal: end })
      this.#learn(client, await listTools(client, end))
      onConnected()
      this.#options.logger.info({ tools: this.#tools.length }, 'An MCP server is connected')
      while (!end.aborted) {
        await this.#untilCheck(end)
        if (!end.aborted) this.#take(await listTools(client, end))
      }
    } finally {
      this.#client = undefined
      await client.close()
    }
  }

  /** Until it is time to see whether the server is there, or a call gave reason to. */
  async #untilCheck(end: AbortSignal): Promise<void> {
    this.#suspicion = deferred()
    const waiting = new AbortController()
    const pause = delay(CHECK_EVERY_MS, AbortSignal.any([end, waiting.signal])).catch(() => undefined)
    await Promise.race([pause, this.#suspicion.promise])
    waiting.abort()
  }

  #learn(client: Client, tools: readonly McpTool[]): void {
    const { name = this.#options.config.id, version = '' } = client.getServerVersion() ?? {}
    const description = client.getInstructions()
    this.#facts = { name, version, description, capabilities: client.getServerCapabilities() ?? {} }
    this.#take(tools)
    this.#client = client
    this.#error = undefined
    this.#first.resolve()
  }

  #take(listed: readonly McpTool[]): void {
    const text = JSON.stringify(listed)
    // the same tools stay the same objects, whose schemas are compiled
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

  readonly #call: CallRemote = (name, input, { signal, trace = NO_TRACE }) => {
    const { id: serverId } = this.#options.config
    const call = { serverId, method: 'tools/call', target: name, kind: 'client' } as const
    return withMcpSpan(trace, call, async (span) => {
      const result = await this.#callTool({ name, arguments: input }, signal, span)
      if (result.isError === true) failTool(span, failureText(name, result))
      return result
    })
  }

  async #callTool(
    params: { name: string; arguments: Record<string, unknown> },
    signal: AbortSignal,
    trace: TraceScope,
  ): Promise<CallToolResult> {
    const { id } = this.#options.config
    if (!this.#client)
      throw new AppError('unavailable', `MCP server "${id}" is not connected: ${this.#error ?? 'not yet'}`)
    try {
      // where the conventions put the trace context, whatever the transport
      const _meta = trace.headers()
      return await this.#client.callTool({ ...params, _meta }, { signal, timeout: CALL_MS })
    } catch (error) {
      signal.throwIfAborted()
      // what the server itself answered is about the call
      if (isAnswer(error)) throw error
      this.#suspicion.resolve()
      throw new AppError('unavailable', `MCP server "${id}" did not answer`, { cause: error })
    }
  }
}

async function listTools(client: Client, signal: AbortSignal): Promise<readonly McpTool[]> {
  if (!client.getServerCapabilities()?.tools) {
    await client.ping({ timeout: CONNECT_MS, signal })
    return []
  }
  return (await client.listTools(undefined, { timeout: CONNECT_MS, signal, cacheMode: 'refresh' })).tools
}

function isAnswer(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ProtocolError' && 'code' in error && error.code !== ANSWER_CUT
  )
}

/** Told to callers: one line, and where the reason is deeper, that. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  // fetch tells why it failed in the cause of its TypeError, and the SDK may put an error of its own around that
  if (cause !== undefined && [error, cause].some((each) => each instanceof TypeError)) return reasonOf(cause)
  return messageOf(error).split('\n', 1)[0]?.slice(0, 300) ?? ''
}
