import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useChanges } from '../../live/use-changes.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ToolBench } from './tool-bench.tsx'

/** Within a sentence a link is known by more than its colour. */
const IN_TEXT = 'text-accent underline'

/** One tool, to be tried. */
export function ToolScreen({ params }: ScreenProps) {
  const name = params['name'] ?? ''
  const { data: tools, error, refetch } = useEndpoint('listTools', {})
  useChanges('config', refetch)
  const tool = tools?.find((one) => one.name === name)
  return (
    <>
      <PageHeader title={name} aside={tool && <Origin tool={tool} />} />
      {tool ? (
        <ToolBench tool={tool} />
      ) : tools ? (
        <EmptyState title="There is no such tool">
          It is not declared, or its MCP server is not connected.{' '}
          <Link to="tools" className={IN_TEXT}>
            See the tools
          </Link>{' '}
          or{' '}
          <Link to="mcp" className={IN_TEXT}>
            the MCP servers
          </Link>
          .
        </EmptyState>
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </>
  )
}

function Origin({ tool: { source, agents, serverId } }: { readonly tool: ToolSummary }) {
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-dim">
      {serverId !== undefined && (
        <span>
          from the MCP server{' '}
          <Link to={`mcp/${encodeURIComponent(serverId)}`} className={IN_TEXT}>
            {serverId}
          </Link>
        </span>
      )}
      {source === 'config' && <span>from the configuration</span>}
      {agents.length > 0 && (
        <span>
          used by{' '}
          {agents.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link to={`agents/${encodeURIComponent(id)}`} className={IN_TEXT}>
                {id}
              </Link>
            </span>
          ))}
        </span>
      )}
    </span>
  )
}
