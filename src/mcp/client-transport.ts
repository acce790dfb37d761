import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import type { ConnectedServerConfig } from './connected-server.ts'

export interface TransportOptions {
  readonly config: ConnectedServerConfig
  /** The directory that programs run in. */
  readonly root: string
  readonly logger: Logger
}

/** What carries the messages to a server. The packages load with the first connection. */
export async function clientTransport({ config, root, logger }: TransportOptions): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { url, headers = {} } = config
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } })
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
  lines.on('line', (line) => logger.info(line))
  return transport
}
