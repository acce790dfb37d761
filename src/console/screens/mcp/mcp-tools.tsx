import type { McpServerDetail } from '../../../contract/mcp.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { Pending } from '../../ui/pending.tsx'

const POLL_MS = 5000

/** What a server offers; the tools of connected servers can be tried. */
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
            {server.status === 'ready' ? 'It offers none.' : 'They are known once it is connected.'}
          </p>
        ) : (
          <ul className="border-t border-line">
            {tools.map(({ name, title, description, inputSchema, outputSchema }) => (
              <li key={name} className="border-b border-line py-1">
                <details>
                  <summary className="break-words">
                    <span className="font-mono text-sm">{name}</span>
                    {title !== null && title !== name && <span className="pl-2">{title}</span>}
                    <span className="pl-3 text-dim">{description}</span>
                  </summary>
                  <div className="flex flex-col gap-2 py-2 pl-4">
                    {server.kind === 'connected' && (
                      <p>
                        <Link to={`tools/${encodeURIComponent(name)}`}>Try it</Link>
                      </p>
                    )}
                    <JsonView value={inputSchema} label={`Input schema of ${name}`} open={3} />
                    {outputSchema && (
                      <JsonView value={outputSchema} label={`Output schema of ${name}`} open={2} />
                    )}
                  </div>
                </details>
              </li>
            ))}
          </ul>
        )
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </section>
  )
}
