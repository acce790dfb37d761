import { ApiError } from '../../../client/api-error.ts'
import type { McpServerDetail } from '../../../contract/endpoints/mcp.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction, useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { ConnectClient } from '../../code/connect-client.tsx'
import { curlCode, credentialFor } from '../../code/request-code.ts'
import type { CodeCredential } from '../../code/request-code.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useCopyKeys } from '../../keys/use-keys.ts'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useServices } from '../../services/services-context.tsx'
import type { Services } from '../../services/services.ts'
import { ToolList } from '../tools/tool-list.tsx'
import { Button, ButtonLink } from '../../ui/controls/button.tsx'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { McpPrompts } from './mcp-prompts.tsx'
import { McpResources } from './mcp-resources.tsx'

const POLL_MS = 2000

/** One MCP server: status, tools, resources, prompts, and code to connect a client. */
export function McpServerScreen({ params }: ScreenProps) {
  const services = useServices()
  const serverId = params['serverId'] ?? ''
  const { data: server, error, refetch } = useEndpoint('getMcpServer', { params: { serverId } })
  usePolling(refetch, POLL_MS)
  useChanges('config', refetch)
  useCopyKeys('MCP server', () => (server ? mcpCodes(services, server).curl : ''))
  const isMissing = error instanceof ApiError && error.status === 404
  return (
    <>
      <PageHeader
        title={server?.name ?? serverId}
        aside={server && !isMissing && <StatusBadge status={server.status} />}
      />
      {isMissing ? (
        <EmptyState title="MCP server not found">
          <Link to="mcp">Show all MCP servers</Link>
        </EmptyState>
      ) : server ? (
        <div className="flex flex-col gap-6 p-4">
          <Details server={server} />
          {server.oauth === true && <Login key={server.status} server={server} />}
          {server.kind === 'served' && <Connect server={server} />}
          <McpTools server={server} />
          <McpResources server={server} />
          <McpPrompts server={server} />
          {Object.keys(server.capabilities).length > 0 && (
            <section aria-label="Capabilities">
              <h2 className="pb-1 font-semibold">Capabilities</h2>
              <JsonView value={server.capabilities} label="Capabilities" open={2} />
            </section>
          )}
        </div>
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </>
  )
}

function Details({ server }: { readonly server: McpServerDetail }) {
  const { id, kind, status, transport, version, description, error, url, command } = server
  return (
    <section aria-label="Details" className="max-w-3xl">
      {/* that a login is needed is said where it is made */}
      {error !== undefined && status !== 'login' && (
        <p role="alert" className="mb-3 break-words rounded-md bg-error-panel p-2 text-error">
          {error}
        </p>
      )}
      <KeyValue
        rows={[
          ['Id', <span className="font-mono text-sm">{id}</span>],
          ['Kind', kind === 'served' ? 'served by this server' : 'connected'],
          ['Transport', transport === 'http' ? 'Streamable HTTP' : 'stdio'],
          ['Version', version],
          ['Description', description],
          [
            'URL',
            kind === 'connected' && url !== undefined && <span className="font-mono text-sm">{url}</span>,
          ],
          ['Command', command !== undefined && <span className="font-mono text-sm">{command}</span>],
        ]}
      />
    </section>
  )
}

/** The login of this machine's user at a connected server. With another status it begins anew: its link was used. */
function Login({ server }: { readonly server: McpServerDetail }) {
  const { toasts } = useServices()
  const { mutate, isPending, data } = useAction('startMcpLogin')
  const start = () =>
    mutate({ params: { serverId: server.id } }, { onError: (error) => toasts.error(errorMessage(error)) })
  const isNeeded = server.status === 'login'
  const need = isNeeded ? 'Its tools can be used after a login.' : 'You can log in again, as another user.'
  return (
    <section aria-label="Login" className="max-w-3xl">
      <p className="pb-2">{data ? `Continue at ${new URL(data.link).host}, in a new tab.` : need}</p>
      <div className="flex items-center gap-2">
        {data && (
          <ButtonLink kind="primary" href={data.link}>
            Open the login page
          </ButtonLink>
        )}
        <Button kind={isNeeded && !data ? 'primary' : 'plain'} onClick={start} disabled={isPending}>
          {data ? 'New link' : 'Log in'}
        </Button>
      </div>
    </section>
  )
}

function Connect({ server }: { readonly server: McpServerDetail }) {
  const services = useServices()
  const codes = mcpCodes(services, server)
  return (
    <ConnectClient
      url={codes.url}
      what="URL"
      codes={{ 'Client settings': codes.settings, TypeScript: codes.typescript, curl: codes.curl }}
    />
  )
}

const TOOLS_POLL_MS = 5000

/** The tools of an MCP server; those of connected servers can be run. */
function McpTools({ server }: { readonly server: McpServerDetail }) {
  const { data: tools, error, refetch } = useEndpoint('listMcpTools', { params: { serverId: server.id } })
  usePolling(refetch, TOOLS_POLL_MS)
  return (
    <section aria-label="Tools">
      <h2 className="pb-1 font-semibold">
        Tools <span className="font-normal text-dim">{tools?.length}</span>
      </h2>
      {tools ? (
        tools.length === 0 ? (
          <p className="text-dim">
            {server.status === 'ready' ? 'No tools' : 'The tools are listed when the server is connected.'}
          </p>
        ) : (
          <ToolList tools={tools} callable={server.kind === 'connected'} />
        )
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </section>
  )
}

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** URL and code to connect a client to a served MCP server. */
function mcpCodes({ api, credentials }: Services, { id }: McpServerDetail) {
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
