import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientOptions } from '@modelcontextprotocol/client'

interface ConnectOptions extends ClientOptions {
  /** The user, whose name is the token. */
  readonly user?: string
  /** MCP revision 2025-11-25, or the newest one that the server supports. */
  readonly mode?: 'legacy' | 'auto'
}

/** Connects a client of the SDK. */
export async function connectClient(
  url: string,
  { user = 'grace', mode = 'auto', ...options }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${user}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}
