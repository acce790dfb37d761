import { useState } from 'react'
import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { JsonView } from '../../json/json-view.tsx'
import { shortJson } from '../../json/parse-json.ts'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration, Time } from '../../ui/time/time.tsx'
import { ToolForm } from './tool-form.tsx'
import { ToolOutcome } from './tool-outcome.tsx'
import { useToolRun } from './use-tool-run.ts'
import type { ToolRun } from './use-tool-run.ts'

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

/** The form to run a tool, its result, and the last runs. */
function ToolBench({ tool }: { readonly tool: ToolSummary }) {
  const { router } = useServices()
  const runner = useToolRun(tool.name)
  const [chosen, setChosen] = useState<string>()
  const [reused, setReused] = useState<{ readonly count: number; readonly input?: unknown }>({ count: 0 })
  const shown = runner.runs.find(({ at }) => at === chosen) ?? runner.runs[0]
  const run = (input: unknown, approve?: boolean) => {
    setChosen(undefined)
    void runner.run(input, approve)
  }
  return (
    <div className="grid min-h-0 flex-1 max-sm:overflow-auto sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="min-h-0 border-line p-4 max-sm:border-b sm:overflow-auto sm:border-r">
        <p className="max-w-2xl whitespace-pre-wrap break-words pb-3 text-dim">{tool.description}</p>
        {tool.callable ? (
          <ToolForm
            // resets the form for another schema, and for a reused input
            key={`${reused.count} ${JSON.stringify(tool.inputSchema)}`}
            tool={tool}
            initial={reused.input}
            runner={runner}
            run={run}
            validationMessage={chosen === undefined ? runner.runs[0]?.error?.message : undefined}
          />
        ) : (
          <p className="text-dim">Only agents call this tool.</p>
        )}
        {tool.outputSchema && (
          <details className="pt-4">
            <summary className="text-sm text-dim">Output schema</summary>
            <div className="pt-1">
              <JsonView value={tool.outputSchema} label="Output schema" open={3} />
            </div>
          </details>
        )}
      </div>
      <div className="flex min-h-0 flex-col overflow-auto p-4">
        <ToolOutcome runner={runner} run={run} shown={shown} />
        <ToolRuns
          runs={runner.runs}
          chosen={shown?.at}
          choose={setChosen}
          reuse={(input) => router.unsaved.request(() => setReused({ count: reused.count + 1, input }))}
        />
      </div>
    </div>
  )
}

interface ToolRunsProps {
  readonly runs: readonly ToolRun[]
  readonly chosen: string | undefined
  readonly choose: (at: string) => void
  readonly reuse: (input: unknown) => void
}

/** The runs stored in this browser tab. */
function ToolRuns({ runs, chosen, choose, reuse }: ToolRunsProps) {
  if (runs.length === 0) return null
  return (
    <section aria-label="Last runs" className="pt-6">
      <h2 className="pb-1 font-semibold">Last runs</h2>
      <p className="pb-1 text-sm text-dim">Stored until this tab is closed.</p>
      <ul className="border-t border-line">
        {runs.map((run) => (
          <li
            key={run.at}
            className={`flex items-center gap-3 border-b border-line px-1 py-0.5 ${run.at === chosen ? 'bg-chosen' : ''}`}
          >
            <button
              type="button"
              aria-pressed={run.at === chosen}
              onClick={() => choose(run.at)}
              className="flex min-w-0 flex-1 items-center gap-3 text-left"
            >
              <span className="w-24 shrink-0">
                <StatusBadge status={run.status} />
              </span>
              <span className="min-w-0 flex-1 truncate font-mono text-sm">{shortJson(run.input)}</span>
              <span className="shrink-0 text-sm text-dim">
                <Duration ms={run.durationMs} /> · <Time at={run.at} />
              </span>
            </button>
            <Button size="small" onClick={() => reuse(run.input)}>
              Use input
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
