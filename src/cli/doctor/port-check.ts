import { createServer } from 'node:net'
import type { ListenAddress } from '../serve/listen-options.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

/** Checks that the port is free or in use by the project's own server. */
export async function checkPort(
  { port, host, portIsSet }: Pick<ListenAddress, 'port' | 'host' | 'portIsSet'>,
  server: ServerInfo | undefined,
): Promise<Check> {
  if (server) return ok('port', `The server is running at ${server.url} (pid ${server.pid})`)
  if (port === 0) return ok('port', 'Any free port')
  const code = await listenError(port, host)
  if (code === undefined) return ok('port', `${host}:${port} is free`)
  const advice = 'Choose another with --port, PORT or "port" in the configuration.'
  if (code !== 'EADDRINUSE') return failure('port', `Cannot listen on ${host}:${port} (${code})`, advice)
  if (portIsSet) return failure('port', `${host}:${port} is in use by another program`, advice)
  return warning(
    'port',
    `${host}:${port} is in use by another program`,
    '`dev` uses the next free port; `start` requires --port.',
  )
}

/** The error code of listening on an address. Undefined if it succeeds. */
function listenError(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
}
