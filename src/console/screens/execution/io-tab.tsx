import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { JsonView } from '../../json/json-view.tsx'
import { ErrorView } from '../../ui/state/error-view.tsx'
import { Section } from '../../ui/layout/side-panel.tsx'

/** Input and output, or the error, of an execution. */
export function IoTab({ record }: { readonly record: ExecutionDetail }) {
  const { status, error, suspension } = record
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <Section level={2} title="Input">
        <JsonView value={record.input} label="Input" open={3} />
      </Section>
      {error ? (
        <Section level={2} title={error.stepId === undefined ? 'Error' : `Error of ${error.stepId}`}>
          <ErrorView error={error} />
        </Section>
      ) : (
        <Section level={2} title="Output">
          {'output' in record ? (
            <JsonView value={record.output} label="Output" open={3} />
          ) : (
            <p className="text-dim">
              {status === 'suspended' && suspension
                ? `None yet: suspended at step ${suspension.stepId}`
                : status === 'running'
                  ? 'None yet: running'
                  : 'None'}
            </p>
          )}
        </Section>
      )}
    </div>
  )
}
