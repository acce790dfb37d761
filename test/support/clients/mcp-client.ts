import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientOptions } from '@modelcontextprotocol/client'

interface ConnectOptions extends ClientOptions {
  /** Whose name is the token. */
  readonly user?: string
  /** Of the revision of 2025, or whatever the server speaks. */
  readonly mode?: 'legacy' | 'auto'
}

/** The SDK's own client, connected. */
export async function connectClient(
  url: string,
  { user = 'grace', mode = 'auto', ...options }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${user}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}
