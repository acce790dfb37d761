import { useState } from 'react'
import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useServices } from '../../services/services-context.tsx'
import { ToolForm } from './tool-form.tsx'
import { ToolOutcome } from './tool-outcome.tsx'
import { ToolRuns } from './tool-runs-list.tsx'
import { useToolRun } from './use-tool-run.ts'

/** The form to run a tool, its result, and the last runs. */
export function ToolBench({ tool }: { readonly tool: ToolSummary }) {
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
