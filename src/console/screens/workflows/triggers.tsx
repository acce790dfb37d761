import type { ReactNode } from 'react'
import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { Fact } from '../../ui/layout/fact.tsx'
import { durationText } from '../../ui/time/format-time.ts'

type Trigger = NonNullable<WorkflowDetail['on']>[number]

/** The events that a workflow reacts to, and its hooks; nothing for a workflow without. */
export function Triggers({
  workflow: { on, cancelOn, debounce, hooks },
}: {
  readonly workflow: WorkflowDetail
}) {
  if (!on && !cancelOn && !hooks) return null
  return (
    <dl
      aria-label="Events and hooks"
      className="flex shrink-0 flex-wrap items-center gap-x-6 border-b border-line px-4 py-1"
    >
      {on && <Fact name="Starts on">{on.map((trigger, n) => eventText(trigger, n))}</Fact>}
      {debounce && (
        <Fact name="Debounce">
          the last event of {durationText(debounce.perMs)}
          {debounce.computesKey && ', by key'}
        </Fact>
      )}
      {cancelOn && <Fact name="Cancelled on">{cancelOn.map((trigger, n) => eventText(trigger, n))}</Fact>}
      {hooks && <Fact name="Hooks">{hooks.join(', ')}</Fact>}
    </dl>
  )
}

/** An event with its key, such as `order.paid (key: A-1)`. */
function eventText({ event, key, computesKey, filters }: Trigger, index: number): ReactNode {
  const details = [
    key !== undefined && `key: ${key}`,
    computesKey && 'key of a function',
    filters && 'filtered',
  ].filter((part) => typeof part === 'string')
  return (
    <span key={index}>
      <bdi className="font-mono text-sm">{event}</bdi>
      {details.length > 0 && <span className="text-dim"> ({details.join(', ')})</span>}
    </span>
  )
}
