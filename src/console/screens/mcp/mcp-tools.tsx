import type { McpServerDetail } from '../../../contract/endpoints/mcp.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { ToolList } from '../../tools/tool-list.tsx'
import { Pending } from '../../ui/state/pending.tsx'

const POLL_MS = 5000

/** The tools of an MCP server; those of connected servers can be run. */
export function McpTools({ server }: { readonly server: McpServerDetail }) {
  const { data: tools, error, refetch } = useEndpoint('listMcpTools', { params: { serverId: server.id } })
  usePolling(refetch, POLL_MS)
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
