import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import type { ConnectedServerConfig } from './connected-server.ts'
import { tellCutAnswers } from '../served/sessions/truncated-responses.ts'
import { limitedFetch } from './limited-fetch.ts'

export interface TransportOptions {
  readonly config: ConnectedServerConfig
  /** The directory that programs run in. */
  readonly root: string
  readonly logger: Logger
}

/** In bytes, of a server over HTTP. Of a program the protocol's package takes 10 MiB. */
const LONGEST_MESSAGE = 10 * 1024 * 1024

/** Of what a program says on its standard error, in characters; the rest of a line is not logged. */
const LONGEST_LINE = 10_000

/** What carries the messages to a server. The packages load with the first connection. */
export async function clientTransport({ config, root, logger }: TransportOptions): Promise<Transport> {
  if ('url' in config) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { url, headers = {} } = config
    const options = { requestInit: { headers: { ...headers } }, fetch: limitedFetch(LONGEST_MESSAGE) }
    return tellCutAnswers(new StreamableHTTPClientTransport(new URL(url), options))
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
  lines.on('line', (line) => logger.info(line.slice(0, LONGEST_LINE)))
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    const { pid } = transport
    // closing gives it time; a process that exits before that leaves none behind
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
    // it has ended already
  }
}
