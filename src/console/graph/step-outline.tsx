import { memo, useEffect, useRef } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { moveInTree } from '../json/json-node.tsx'
import { BreakpointDot } from '../breakpoints/breakpoint-dot.tsx'
import type { Breakpoints } from '../breakpoints/use-breakpoints.ts'
import { STEP_KINDS, StepKindIcon } from './step-kind.tsx'
import { StepStateText } from './step-state-text.tsx'
import { sameState } from './step-states.ts'
import type { StepState, StepStates } from './step-states.ts'
import type { FlatStep } from './step-tree.ts'

export interface StepOutlineProps {
  readonly label: string
  readonly placed: readonly FlatStep[]
  readonly states: StepStates
  readonly chosen: string | undefined
  readonly onChoose: (path: string) => void
  readonly breakpoints: Breakpoints | undefined
}

/** The steps as a list with the same information as the graph, for keyboard and screen readers. */
export function StepOutline({ label, placed, states, chosen, onChoose, breakpoints }: StepOutlineProps) {
  const tree = useRef<HTMLUListElement>(null)
  const current = placed.findLast(({ path }) => states.get(path)?.status === 'running')?.path
  useEffect(() => {
    rowOf(tree.current, chosen)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  useEffect(() => {
    // does not scroll while the user is in the list
    if (!tree.current?.matches(':hover, :focus-within'))
      rowOf(tree.current, current)?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const toggleBreakpoint = (path: string | undefined) => {
    const step = placed.find((one) => one.path === path)?.step
    if (step) breakpoints?.toggle(step.id)
  }
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element
    const path = target.closest<HTMLElement>('[data-path]')?.dataset['path']
    if (path === undefined) return
    if (target.closest('[data-breakpoint]')) toggleBreakpoint(path)
    else onChoose(path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter' || event.key === ' ') onChoose(row.dataset['path'] ?? '')
    else if (event.key === 'b' && breakpoints) toggleBreakpoint(row.dataset['path'])
    else if (!moveInTree(row, event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <ul ref={tree} role="tree" aria-label={label} onClick={onClick} onKeyDown={onKeyDown} className="py-1">
      {placed.map((one, at) => (
        <Row
          key={one.path}
          placed={one}
          state={states.get(one.path)}
          chosen={one.path === chosen}
          breakpoint={one.step.type === 'group' ? undefined : breakpoints?.ids.has(one.step.id)}
          isTabStop={chosen === undefined ? at === 0 : one.path === chosen}
        />
      ))}
    </ul>
  )
}

function rowOf(tree: HTMLElement | null, path: string | undefined): Element | null | undefined {
  return path === undefined ? undefined : tree?.querySelector(`[data-path="${CSS.escape(path)}"]`)
}

interface RowProps {
  readonly placed: FlatStep
  readonly state: StepState | undefined
  readonly chosen: boolean
  readonly breakpoint: boolean | undefined
  /** The tab stop of the tree. */
  readonly isTabStop: boolean
}

const Row = memo(StepRow, (one, other) => {
  return (
    one.placed === other.placed &&
    one.chosen === other.chosen &&
    one.breakpoint === other.breakpoint &&
    one.isTabStop === other.isTabStop &&
    sameState(one.state, other.state)
  )
})

function StepRow({ placed, state, chosen, breakpoint, isTabStop }: RowProps) {
  const { path, step, depth, index, siblings } = placed
  const { prefix } = STEP_KINDS[step.type]
  return (
    <li
      role="treeitem"
      data-path={path}
      aria-level={depth + 1}
      aria-posinset={index + 1}
      aria-setsize={siblings}
      aria-selected={chosen}
      tabIndex={isTabStop ? 0 : -1}
      title={step.purpose === '' ? step.name : `${step.name}\n${step.purpose}`}
      aria-keyshortcuts={breakpoint === undefined ? undefined : 'b'}
      style={{ paddingLeft: (breakpoint === undefined ? 12 : 4) + depth * 16 }}
      className="flex h-7 cursor-pointer items-center gap-1.5 pr-3 outline-offset-[-2px] hover:bg-hover aria-selected:bg-chosen"
    >
      {breakpoint !== undefined && <BreakpointDot isSet={breakpoint} />}
      <StepKindIcon type={step.type} />
      <bdi className="min-w-0 flex-1 truncate">{step.name}</bdi>
      <span className="sr-only">
        {step.call ?? step.type}
        {prefix !== '' && `, ${prefix}:`}
        {step.catches && ', runs on error'}
        {breakpoint && ', breakpoint'}
      </span>
      {step.catches && (
        <span aria-hidden="true" className="text-sm text-dim">
          on error
        </span>
      )}
      {(state?.attempts ?? 1) > 1 && <span className="text-sm text-dim">×{state?.attempts}</span>}
      {state && <StepStateText state={state} />}
    </li>
  )
}
