import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { shortJson } from '../json/parse-json.ts'
import { escapeHidden } from '../ui/escape-text.ts'
import { placeOf } from './execution-status.tsx'

/** One line about an execution: whether a pin made it, and its error, what it waits for, or its output or input. */
export function ExecutionSummary({ record }: { readonly record: ExecutionRecord }) {
  return (
    <>
      {record.forkedFrom?.pinned && <span className="text-dim">pinned replay · </span>}
      <Outcome record={record} />
    </>
  )
}

function Outcome({ record }: { readonly record: ExecutionRecord }) {
  const { status, error, suspension, waiting, output, input, omitted } = record
  if (error) return <span className="text-error">{escapeHidden(`${error.name}: ${error.message}`)}</span>
  if (suspension && status === 'suspended')
    return <>{escapeHidden(`${suspension.stepId}: ${suspension.reason}`)}</>
  if (waiting) return <>{placeOf(waiting)}</>
  if (omitted?.includes(output === undefined && status !== 'completed' ? 'input' : 'output'))
    return <span className="text-dim">too large for the list</span>
  return <span className="font-mono text-sm text-dim">{shortJson(output ?? input)}</span>
}
