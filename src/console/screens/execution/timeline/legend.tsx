import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { ColourBy } from './step-bars.ts'

const KINDS = [
  ['andThen', 'code', 'bg-kind-code'],
  ['andAgent', 'agent', 'bg-kind-agent'],
  ['andWorkflow', 'workflow', 'bg-kind-workflow'],
  ['andTap', 'tap', 'bg-kind-tap'],
] as const

/** The legend of the colours, for the step types in use. */
export function Legend({ colouring, steps }: { colouring: ColourBy; steps: readonly StepRecord[] }) {
  if (colouring !== 'kind') return null
  const types = new Set(steps.map(({ type }) => type))
  return (
    <ul aria-label="Colours" className="flex flex-wrap gap-x-3 text-sm text-dim">
      {KINDS.filter(([type]) => types.has(type)).map(([type, name, tone]) => (
        <li key={type} className="flex items-center gap-1">
          <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${tone}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}
