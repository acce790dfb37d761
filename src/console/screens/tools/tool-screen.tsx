import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useChanges } from '../../live/use-changes.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ToolBench } from './tool-bench.tsx'

/** Links within a sentence are underlined: colour alone is not accessible. */
const IN_TEXT = 'text-accent underline'

/** One tool, with a form to run it. */
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
        <EmptyState title="Tool not found">
          It is not in the configuration, or its MCP server is not connected.{' '}
          <Link to="tools" className={IN_TEXT}>
            Show all tools
          </Link>{' '}
          or{' '}
          <Link to="mcp" className={IN_TEXT}>
            MCP servers
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
          MCP server{' '}
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
