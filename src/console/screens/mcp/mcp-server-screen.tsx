import type { McpServerDetail } from '../../../contract/endpoints/mcp.ts'
import { ApiError } from '../../../client/api-error.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useServices } from '../../services/services-context.tsx'
import { ConnectClient } from '../../code/connect-client.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { useChanges } from '../../live/use-changes.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useCopyKeys } from '../../keys/use-copy-keys.ts'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { mcpCodes } from './mcp-codes.ts'
import { McpPrompts } from './mcp-prompts.tsx'
import { McpResources } from './mcp-resources.tsx'
import { McpTools } from './mcp-tools.tsx'

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
          <Facts server={server} />
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

function Facts({ server }: { readonly server: McpServerDetail }) {
  const { id, kind, transport, version, description, error, url, command } = server
  return (
    <section aria-label="Details" className="max-w-3xl">
      {error !== undefined && (
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
