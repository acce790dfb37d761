import { memo, useEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { moveInTree } from '../json/move-in-tree.ts'
import { StatusBadge } from '../ui/status-badge.tsx'
import { Duration } from '../ui/time.tsx'
import { STEP_KINDS, StepKindIcon } from './step-kind.tsx'
import type { StepState, StepStates } from './step-states.ts'
import type { PlacedStep } from './step-tree.ts'

export interface StepOutlineProps {
  readonly label: string
  readonly placed: readonly PlacedStep[]
  readonly states: StepStates
  readonly chosen: string | undefined
  readonly onChoose: (path: string) => void
}

/** The steps as a list: all that the graph shows, for the keyboard, for screen readers, and to find one's way. */
export function StepOutline({ label, placed, states, chosen, onChoose }: StepOutlineProps) {
  const tree = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (chosen !== undefined)
      tree.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <ul ref={tree} role="tree" aria-label={label} className="py-1">
      {placed.map((one, at) => (
        <Row
          key={one.path}
          placed={one}
          state={states.get(one.path)}
          chosen={one.path === chosen}
          reached={chosen === undefined ? at === 0 : one.path === chosen}
          onChoose={onChoose}
        />
      ))}
    </ul>
  )
}

interface RowProps {
  readonly placed: PlacedStep
  readonly state: StepState | undefined
  readonly chosen: boolean
  /** The one that Tab comes to. */
  readonly reached: boolean
  readonly onChoose: (path: string) => void
}

const Row = memo(function Row({ placed, state, chosen, reached, onChoose }: RowProps) {
  const { path, step, depth, index, siblings } = placed
  const { lead } = STEP_KINDS[step.type]
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(path)
    else if (!moveInTree(event.currentTarget, event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <li
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={index + 1}
      aria-setsize={siblings}
      aria-selected={chosen}
      tabIndex={reached ? 0 : -1}
      title={step.purpose === '' ? step.name : `${step.name}\n${step.purpose}`}
      onClick={() => onChoose(path)}
      onKeyDown={onKeyDown}
      style={{ paddingLeft: 12 + depth * 16 }}
      className="flex h-7 cursor-pointer items-center gap-1.5 pr-3 outline-offset-[-2px] hover:bg-hover aria-selected:bg-chosen"
    >
      <StepKindIcon type={step.type} />
      <bdi className="min-w-0 flex-1 truncate">{step.name}</bdi>
      <span className="sr-only">
        {step.type}
        {lead !== '' && `, ${lead}:`}
      </span>
      {(state?.attempts ?? 1) > 1 && <span className="text-sm text-dim">×{state?.attempts}</span>}
      {state && (
        <span className="flex items-center gap-1.5 text-sm">
          {state.status === 'completed' && (
            <span className="text-dim">
              <Duration ms={state.durationMs} />
            </span>
          )}
          <span className={state.status === 'completed' ? 'contents' : ''}>
            <StatusBadge status={state.status} text={state.status === 'completed' ? '' : state.status} />
            {state.status === 'completed' && <span className="sr-only">completed</span>}
          </span>
        </span>
      )}
    </li>
  )
})
