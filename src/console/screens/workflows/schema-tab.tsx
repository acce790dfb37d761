import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { JsonView } from '../../json/json-view.tsx'

const PARTS = [
  ['inputSchema', 'Input', 'what it is run with'],
  ['resultSchema', 'Result', 'what it ends with'],
  ['suspendSchema', 'Suspend', 'what steps hand out when they suspend, unless they declare their own'],
  ['resumeSchema', 'Resume', 'what resuming takes, for steps that declare nothing of their own'],
] as const

/** The schemas of the workflow, as JSON Schema. */
export function SchemaTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  return (
    <div className="grid gap-x-8 gap-y-6 p-4 xl:grid-cols-2">
      {PARTS.map(([key, name, means]) => (
        <section key={key} aria-label={`${name} schema`} className="min-w-0">
          <h2 className="pb-1 font-semibold">
            {name} <span className="font-normal text-dim">{means}</span>
          </h2>
          {workflow[key] === null ? (
            <p className="text-dim">None is declared.</p>
          ) : (
            <JsonView value={workflow[key]} label={`${name} schema as JSON`} open={4} />
          )}
        </section>
      ))}
    </div>
  )
}
