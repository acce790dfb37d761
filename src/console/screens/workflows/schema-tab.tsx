import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { JsonView } from '../../json/json-view.tsx'

const PARTS = [
  ['inputSchema', 'Input', 'input of the workflow'],
  ['resultSchema', 'Result', 'output of the workflow'],
  ['suspendSchema', 'Suspend', 'suspend data, unless a step has its own schema'],
  ['resumeSchema', 'Resume', 'resume data, unless a step has its own schema'],
] as const

/** The JSON Schemas of the workflow. */
export function SchemaTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  return (
    <div className="grid gap-x-8 gap-y-6 p-4 xl:grid-cols-2">
      {PARTS.map(([key, name, description]) => (
        <section key={key} aria-label={`${name} schema`} className="min-w-0">
          <h2 className="pb-1 font-semibold">
            {name} <span className="font-normal text-dim">{description}</span>
          </h2>
          {workflow[key] === null ? (
            <p className="text-dim">Not defined</p>
          ) : (
            <JsonView value={workflow[key]} label={`${name} schema as JSON`} open={4} />
          )}
        </section>
      ))}
    </div>
  )
}
