import { Handle, Position, useStore } from '@xyflow/react'
import { memo } from 'react'
import type { StepType } from '../../contract/status.ts'
import type { GraphStep } from './step-tree.ts'
import { BreakpointDot } from '../breakpoints/breakpoint-dot.tsx'
import { STEP_KINDS, StepKindIcon } from './step-kind.tsx'
import { StepStateText } from './step-state-text.tsx'
import { isPartlyFailed } from './step-states.ts'
import type { StepState } from './step-states.ts'
import { countText } from '../ui/time/format-time.ts'

export interface GraphNodeProps {
  readonly data: {
    readonly step: GraphStep
    readonly state: StepState | undefined
    readonly chosen: boolean
    /** Whether it has a breakpoint; undefined where steps can't have one. */
    readonly breakpoint: boolean | undefined
  }
}

const TONES: Readonly<Record<StepState['status'], string>> = {
  running: 'border-running',
  completed: 'border-ok',
  error: 'border-error',
  suspended: 'border-suspended',
  skipped: 'border-line-strong opacity-70',
  cancelled: 'border-cancelled',
}

function toneOf(state: StepState): string {
  return isPartlyFailed(state) ? 'border-suspended' : TONES[state.status]
}

/** Zoom below which nodes are drawn without text, so that panning large graphs is fast. */
const MIN_TEXT_ZOOM = 0.2

/** A step as a node of the graph; a step with nested steps is a frame around them. */
export const GraphNode = memo(function GraphNode({ data }: GraphNodeProps) {
  const { step, state, chosen, breakpoint } = data
  const tone = state ? toneOf(state) : 'border-line-strong'
  const ring = chosen ? 'outline-2 outline-offset-1 outline-accent' : ''
  const group = (step.steps?.length ?? 0) > 0
  const readable = useStore(({ transform }) => transform[2] > MIN_TEXT_ZOOM)
  return (
    <div
      title={`${step.name} (${step.call ?? step.type})${step.purpose === '' ? '' : `\n${step.purpose}`}`}
      className={`relative size-full ${SHAPES[step.type]} ${tone} ${ring} ${group ? 'bg-panel/60' : 'bg-raised'}`}
    >
      <Handle type="target" position={Position.Top} className="opacity-0" />
      {readable && (group ? <Head step={step} state={state} /> : <Body step={step} state={state} />)}
      {breakpoint !== undefined && (
        <span className="absolute -left-2.5 -top-2.5">
          <BreakpointDot isSet={breakpoint} />
        </span>
      )}
      <Handle type="source" position={Position.Bottom} className="opacity-0" />
    </div>
  )
})

export interface FrameNodeProps {
  /** `count`: the number of calls in it. */
  readonly data: { readonly count: number }
}

/** A frame around calls that ran at the same time. */
export function FrameNode({ data: { count } }: FrameNodeProps) {
  const readable = useStore(({ transform }) => transform[2] > MIN_TEXT_ZOOM)
  return (
    <div className="relative size-full rounded-md border border-dotted border-line-strong">
      <Handle type="target" position={Position.Top} className="opacity-0" />
      {readable && <p className="px-2.5 pt-0.5 text-sm text-dim">{countText(count)} at the same time</p>}
      <Handle type="source" position={Position.Bottom} className="opacity-0" />
    </div>
  )
}

/** Border of each step type. */
const SHAPES: Readonly<Record<StepType, string>> = {
  andThen: 'rounded-md border',
  andWhen: 'rounded-md border border-dashed',
  andAll: 'rounded-md border',
  andRace: 'rounded-md border',
  andBranch: 'rounded-md border border-dashed',
  andTry: 'rounded-md border',
  andForEach: 'rounded-md border',
  andDoWhile: 'rounded-md border',
  andDoUntil: 'rounded-md border',
  andSleep: 'rounded-md border border-dashed',
  andSleepUntil: 'rounded-md border border-dashed',
  andWaitForEvent: 'rounded-md border border-dashed',
  andTap: 'rounded-md border border-dashed',
  andAgent: 'rounded-[16px] border',
  andWorkflow: 'rounded-md border-4 border-double',
  group: 'rounded-md border border-dotted',
  function: 'rounded-md border',
}

type StepProps = Pick<GraphNodeProps['data'], 'step' | 'state'>

function Head({ step, state }: StepProps) {
  return (
    <div className="flex h-8 items-center gap-1.5 px-2.5">
      <StepKindIcon type={step.type} />
      <span className="shrink-0 text-dim">{STEP_KINDS[step.type].prefix}</span>
      <bdi className="min-w-0 flex-1 truncate font-medium">{step.name}</bdi>
      {step.catches && <span className="shrink-0 text-sm text-dim">on error</span>}
      {state && <StepStateText state={state} />}
    </div>
  )
}

function Body({ step, state }: StepProps) {
  const targetId = step.agentId ?? step.workflowId
  return (
    <div className="flex h-full flex-col justify-center px-2.5">
      <div className="flex items-center gap-1.5">
        <StepKindIcon type={step.type} />
        <bdi className="min-w-0 flex-1 truncate font-medium">{step.name}</bdi>
        {step.catches && <span className="shrink-0 text-sm text-dim">on error</span>}
        {(state?.attempts ?? 1) > 1 && <span className="text-sm text-dim">×{state?.attempts}</span>}
      </div>
      <div className="flex items-center justify-between gap-2 text-sm">
        <span className="truncate text-dim">
          {step.call ?? step.type}
          {targetId !== undefined && ` · ${targetId}`}
        </span>
        {state && <StepStateText state={state} />}
      </div>
    </div>
  )
}
