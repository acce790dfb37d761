import { useEffect } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { stateOf } from './record-at.ts'
import { JsonView } from '../../json/json-view.tsx'
import { CopyButton } from '../../ui/controls/button.tsx'
import { Pending } from '../../ui/state/states.tsx'
import { Section } from '../../ui/layout/side-panel.tsx'

export interface StateTabProps {
  readonly record: ExecutionDetail
  /** Whether the server has the execution. */
  readonly stored: boolean
  /** Whether the record is that of an earlier moment, of which the server has no state. */
  readonly isPast: boolean
}

/** State, context and metadata of an execution. */
export function StateTab({ record, stored, isPast }: StateTabProps) {
  const { id, workflowId, updatedAt } = record
  const call = { params: { id: workflowId, executionId: id } }
  const { data, error, refetch } = useEndpoint('getExecutionState', call, { enabled: stored })
  useEffect(() => {
    if (stored) void refetch()
  }, [stored, updatedAt, refetch])
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      {stored && (
        <Section level={2} title="State">
          {isPast || (data && !error) ? (
            <JsonView value={isPast ? stateOf(record) : data} label="State" open={3} />
          ) : (
            <Pending error={error} retry={refetch} />
          )}
        </Section>
      )}
      <div className="flex min-w-0 flex-col gap-6">
        <Section level={2} title="Context">
          <JsonView value={record.context} label="Context" open={3} />
        </Section>
        <Section level={2} title="Metadata">
          <JsonView value={record.metadata} label="Metadata" open={3} />
        </Section>
        <Section level={2} title="Definition">
          <p className="flex items-center gap-1 font-mono text-sm">
            {record.definitionHash}
            <CopyButton text={record.definitionHash} label="Copy definition hash" />
          </p>
          <p className="max-w-prose pt-1 text-dim">
            Hash of the steps that the execution started with. It resumes with the current code: when the
            steps have changed the server logs a warning, and when the suspended step no longer exists it
            cannot be resumed.
          </p>
        </Section>
      </div>
    </div>
  )
}
