import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { usePins } from '../../../pins/pinned-bar.tsx'
import { SidePanel, Section } from '../../../ui/layout/side-panel.tsx'
import { Details } from '../details.tsx'
import { ErrorCard } from '../error-card.tsx'

export interface RunPaneProps {
  readonly record: ExecutionDetail
  /** The execution at the shown moment. */
  readonly shown: ExecutionDetail
  readonly isStored: boolean
  /** Undefined for a read-only execution. */
  readonly replay: ((stepId: string) => void) | undefined
  readonly showStep: (stepId: string) => void
}

/** The run itself: why it failed, its input and output, its times and costs, and who did what with it. */
export function RunPane({ record, shown, isStored, replay, showStep }: RunPaneProps) {
  const { id, status, error, context } = shown
  const isPinned = usePins().pins.some(({ executionId }) => isStored && executionId === id)
  const hasContext = JSON.stringify(context) !== '{}'
  return (
    <SidePanel title="Run">
      {status === 'error' && error && (
        <ErrorCard
          record={shown}
          error={error}
          replay={replay}
          isStored={isStored}
          isPinned={isPinned}
          showStep={showStep}
        />
      )}
      <Section title="Input">
        <JsonView value={shown.input} label="Input" open={3} />
      </Section>
      {status !== 'error' && (
        <Section title="Output">
          <Output record={shown} />
        </Section>
      )}
      <Section title="Details">
        <Details record={record} stored={isStored} />
      </Section>
      {hasContext && (
        <Section title="Context">
          <JsonView value={context} label="Context" open={3} />
        </Section>
      )}
    </SidePanel>
  )
}

function Output({ record }: { readonly record: ExecutionDetail }) {
  const { status, suspension } = record
  if ('output' in record) return <JsonView value={record.output} label="Output" open={3} />
  if (status === 'suspended' && suspension)
    return <p className="text-dim">None yet: suspended at step {suspension.stepId}</p>
  return <p className="text-dim">{status === 'running' ? 'None yet: running' : 'None'}</p>
}
