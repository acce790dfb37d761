import type { McpServerDetail } from '../../../contract/endpoints/mcp.ts'
import type { Services } from '../../services/services.ts'
import { curlCode } from '../../code/curl-code.ts'
import { credentialFor } from '../../code/request-code.ts'
import type { CodeCredential } from '../../code/request-code.ts'

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** URL and code to connect a client to a served MCP server. */
export function mcpCodes({ api, credentials }: Services, { id }: McpServerDetail) {
  const url = api.urlOf('callMcpServer', { params: { serverId: id } })
  const credential = credentialFor(credentials, 'token')
  const headers = headersFor(credential)
  const settings = { mcpServers: { [id]: { type: 'http', url, ...(headers && { headers }) } } }
  const init = headers ? `, { requestInit: ${JSON.stringify({ headers })} }` : ''
  return {
    url,
    settings: JSON.stringify(settings, null, 2),
    typescript: [
      "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
      '',
      "const client = new Client({ name: 'my-client', version: '1.0.0' })",
      `await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)})${init}))`,
      'const { tools } = await client.listTools()',
    ].join('\n'),
    curl: curlCode({
      method: 'POST',
      url,
      headers: { Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(LIST_TOOLS),
      credential,
    }),
  }
}

function headersFor(credential: CodeCredential): Readonly<Record<string, string>> | undefined {
  if (credential === 'bypass') return { 'x-service-dev': 'true' }
  // the console key is not valid on user routes
  return credential === undefined ? undefined : { Authorization: 'Bearer <token>' }
}
