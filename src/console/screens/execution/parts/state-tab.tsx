import { useEffect } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Pending } from '../../../ui/state/pending.tsx'
import { Section } from '../../../ui/layout/side-panel.tsx'

export interface StateTabProps {
  readonly record: ExecutionDetail
  /** The server has it. */
  readonly stored: boolean
}

/** What the engine keeps of an execution, beside its steps. */
export function StateTab({ record, stored }: StateTabProps) {
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
          {data && !error ? (
            <JsonView value={data} label="State" open={3} />
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
            <CopyButton text={record.definitionHash} label="Copy the hash of the definition" />
          </p>
          <p className="max-w-prose pt-1 text-dim">
            The hash of the chain of steps that it began with. It goes on with the code as it is now: when the
            chain has changed the server says so, and when the step it waits at is gone it can&apos;t be
            resumed.
          </p>
        </Section>
      </div>
    </div>
  )
}
