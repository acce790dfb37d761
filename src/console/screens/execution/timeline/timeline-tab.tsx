import { useState } from 'react'
import type { ExecutionDetail, StepRecord } from '../../../../contract/endpoints/execution.ts'
import { Attempts } from '../../../../contract/fold-events.ts'
import { isHookPath } from '../../../../contract/step-path.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { useUsualTimes } from '../../../statistics/use-usual-times.ts'
import { IconButton } from '../../../ui/controls/button.tsx'
import { Segmented } from '../../../ui/controls/segmented.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { WithPanel } from '../../../ui/layout/side-panel.tsx'
import { EmptyState } from '../../../ui/state/states.tsx'
import { Flame } from '../../../waterfall/flame.tsx'
import { FULL_VIEW, panView, zoomView } from '../../../waterfall/ticks.ts'
import { Waterfall } from '../../../waterfall/waterfall.tsx'
import { hookSteps } from '../step-tree.ts'
import type { Moment } from '../moment-bar.tsx'
import { useExecutionSteps } from '../use-execution-steps.ts'
import type { ColourBy } from './step-bars.ts'
import { StepPanel } from './step-panel.tsx'
import { useTimeline } from './use-timeline.tsx'

const VIEW_STATE = { view: 'waterfall', idle: 'collapsed', colour: 'kind', step: '' }
const VIEWS = [
  ['waterfall', 'Waterfall'],
  ['flame', 'Flame'],
] as const
const COLOURINGS = [
  ['kind', 'Kind'],
  ['duration', 'Duration'],
  ['status', 'Status'],
] as const

export interface TimelineTabProps {
  readonly record: ExecutionDetail
  /** Undefined for a read-only execution. */
  readonly replay: ((stepId: string) => void) | undefined
  readonly moment: Moment
}

/** The steps over time, and the details of the selected one. */
export function TimelineTab({ record, replay, moment }: TimelineTabProps) {
  const [look, setLook] = useUrlState(VIEW_STATE)
  const [view, setView] = useState(FULL_VIEW)
  const colouring = look.colour as ColourBy
  const usual = useUsualTimes(record, replay !== undefined)
  const { placed } = useExecutionSteps(record, replay !== undefined)
  const timeline = useTimeline(record, {
    declared: placed,
    colouring,
    collapse: look.idle === 'collapsed',
    slow: usual.slow,
  })
  const { record: shown } = moment
  const chosen = [...shown.steps, ...hookSteps(shown)].find(({ path }) => path === look.step)
  const isDeclared = chosen && !isHookPath(chosen.path) && chosen.compensates === undefined
  const attempts = shown === record ? timeline.attempts : new Attempts(shown.events)
  const Chart = look.view === 'flame' ? Flame : Waterfall
  if (record.steps.length === 0) return <EmptyState title="No steps have started yet" />
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1">
        <Segmented
          label="Chart"
          value={look.view}
          options={VIEWS}
          onChange={(next) => setLook({ view: next })}
        />
        <label className="flex min-h-6 items-center gap-1.5 text-sm">
          <input
            type="checkbox"
            checked={look.idle === 'collapsed'}
            onChange={(event) => setLook({ idle: event.target.checked ? 'collapsed' : 'shown' })}
          />
          Collapse idle time
        </label>
        <span className="flex items-center gap-1.5 text-sm text-dim">
          Colour
          <Segmented
            label="Colour by"
            value={look.colour}
            options={COLOURINGS}
            onChange={(colour) => setLook({ colour })}
          />
        </span>
        <Legend colouring={colouring} steps={record.steps} />
        <span className="ml-auto flex items-center gap-1">
          <IconButton label="Zoom in (Ctrl + mouse wheel)" onClick={() => setView(zoomView(view, 0.5))}>
            <Icon name="plus" />
          </IconButton>
          <IconButton
            label="Zoom out"
            disabled={view === FULL_VIEW}
            onClick={() => setView(zoomView(view, 2))}
          >
            <Icon name="minus" />
          </IconButton>
          <IconButton label="Reset zoom" disabled={view === FULL_VIEW} onClick={() => setView(FULL_VIEW)}>
            <Icon name="fit" />
          </IconButton>
        </span>
      </div>
      <WithPanel
        panel={
          chosen && (
            <StepPanel
              key={chosen.path}
              step={chosen}
              attempts={attempts.of(chosen)}
              record={shown}
              usual={usual}
              close={() => setLook({ step: '' })}
              {...(replay && isDeclared && { replay: () => replay(chosen.stepId) })}
            />
          )
        }
      >
        <Chart
          label="Steps over time"
          rows={timeline.rows}
          scale={timeline.scale}
          view={view}
          chosen={look.step}
          choose={(step) => setLook({ step })}
          zoom={(factor, around) => setView((old) => zoomView(old, factor, around))}
          scrubber={moment}
          shift={(by) => setView((old) => panView(old, by))}
        />
      </WithPanel>
    </>
  )
}

const KINDS = [
  ['andThen', 'code', 'bg-kind-code'],
  ['andAgent', 'agent', 'bg-kind-agent'],
  ['andWorkflow', 'workflow', 'bg-kind-workflow'],
  ['andTap', 'tap', 'bg-kind-tap'],
] as const

/** The legend of the colours, for the step types in use. */
function Legend({ colouring, steps }: { colouring: ColourBy; steps: readonly StepRecord[] }) {
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
