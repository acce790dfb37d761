import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import type { ConnectedServerConfig } from './connected-config.ts'
import { failTruncatedResponses } from './truncated-responses.ts'
import { limitedFetch } from './limited-fetch.ts'

export interface TransportOptions {
  readonly config: ConnectedServerConfig
  /** The working directory of local programs. */
  readonly root: string
  readonly logger: Logger
}

/** The maximum message size over HTTP. For local programs the SDK has the same limit. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

/** The maximum length of a logged line of a program's standard error, in characters. */
const MAX_LOG_LINE = 10_000

/** Creates the transport to a server. The SDK is imported with the first connection. */
export async function clientTransport({ config, root, logger }: TransportOptions): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { url, headers = {} } = config
    const options = { requestInit: { headers: { ...headers } }, fetch: limitedFetch(MAX_MESSAGE_BYTES) }
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
