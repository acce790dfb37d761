import { useState } from 'react'
import type { ReactNode } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { Attempts } from '../../../../contract/fold-events.ts'
import { isHookPath } from '../../../../contract/step-path.ts'
import { LogDetails } from '../../../logs/log-details.tsx'
import { Link } from '../../../router/link.tsx'
import { useSettledState, useUrlState } from '../../../router/use-url-state.ts'
import { useUsualTimes } from '../../../statistics/use-usual-times.ts'
import { useTraceSpans } from '../../../trace/use-trace-spans.ts'
import { Segmented } from '../../../ui/controls/segmented.tsx'
import { Panes, SidePanel } from '../../../ui/layout/side-panel.tsx'
import { NARROW } from '../../../ui/layout/use-media.ts'
import { EmptyState } from '../../../ui/state/states.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { TREE_LOOK, TreePane } from '../../../waterfall/tree-pane.tsx'
import { SpanPanel } from '../../trace/span-panel.tsx'
import { CompareView } from '../compare-view.tsx'
import { CostsView } from '../costs-view.tsx'
import type { Moment } from '../moment.tsx'
import { hookSteps } from '../step-tree.ts'
import { useExecutionSteps } from '../use-execution-steps.ts'
import { useRunLogs } from '../use-run-logs.ts'
import { GraphView } from './graph-view.tsx'
import { readItemKey } from './item-keys.ts'
import { RunPane } from './run-pane.tsx'
import { StepPanel } from './step-panel.tsx'
import { useRunTree } from './run-tree.ts'
import type { RunTree } from './run-tree.ts'

export interface RunTabProps {
  readonly record: ExecutionDetail
  /** Undefined for a read-only execution. */
  readonly replay: ((stepId: string) => void) | undefined
  readonly moment: Moment
}

interface RunContents {
  readonly spans: readonly Span[]
  readonly logs: readonly LogRecord[]
}

const NO_SPANS: readonly Span[] = []
const NO_LOGS: readonly LogRecord[] = []
const ALL_LOGS = { level: '', q: '' }

/** The tree of an execution that the server has: with its calls and log records. */
export function StoredRunTab({ isPaused, ...props }: RunTabProps & { readonly isPaused: boolean }) {
  const { id, metadata } = props.record
  const { spans = NO_SPANS } = useTraceSpans(metadata.traceId, { mayBeGone: true })
  const { logs = NO_LOGS, older } = useRunLogs(id, ALL_LOGS)
  const [held, hold] = useState<RunContents>()
  if (isPaused !== (held !== undefined)) hold(isPaused ? { spans, logs } : undefined)
  return (
    <>
      {older && (
        <p className="shrink-0 border-b border-line px-4 py-1 text-sm text-dim">
          Newest {countText(logs.length)} log records shown.{' '}
          <Link to={`executions/${encodeURIComponent(id)}?tab=logs`} className="text-accent underline">
            Show earlier log records
          </Link>
        </p>
      )}
      <RunTab {...props} spans={spans} logs={logs} {...held} />
    </>
  )
}

/** The tree of an execution from a file: its steps. */
export function FileRunTab(props: RunTabProps) {
  return <RunTab {...props} spans={NO_SPANS} logs={NO_LOGS} />
}

const VIEW_STATE = { ...TREE_LOOK, view: 'timeline' }

/** One tree of the run, as a timeline or as a graph, and beside it the run itself or what is selected in the tree. */
function RunTab(props: RunTabProps & RunContents) {
  const { record, replay, moment, spans, logs } = props
  const [look, setLook] = useUrlState(VIEW_STATE)
  const { value: chosen, choose: setChosen } = useSettledState('step')
  const isStored = replay !== undefined
  const usual = useUsualTimes(record, isStored)
  const known = useExecutionSteps(record, isStored)
  const tree = useRunTree(record, { declared: known.placed, spans, logs, slow: usual.slow })
  const options = viewsOf(record, isStored)
  const view = options.find(([name]) => name === look.view)?.[0] ?? 'timeline'
  const choose = (step: string) => {
    setChosen(step)
    if (step !== '' && matchMedia(NARROW).matches) requestAnimationFrame(showPanel)
  }
  const views = (
    <Segmented label="View" value={view} options={options} onChange={(next) => setLook({ view: next })} />
  )
  if (view === 'compare' || view === 'costs')
    return (
      <>
        <ViewBar>{views}</ViewBar>
        {view === 'compare' ? <CompareView record={record} /> : <CostsView executionId={record.id} />}
      </>
    )
  return (
    <Panes panel={<Selected {...props} tree={tree} usual={usual} chosen={chosen} choose={choose} />}>
      {view === 'graph' ? (
        <>
          <ViewBar>{views}</ViewBar>
          <GraphView
            record={moment.record}
            known={known}
            chosen={chosen}
            choose={choose}
            isLive={isStored && moment.at === undefined}
          />
        </>
      ) : tree.items.length === 0 ? (
        <>
          <ViewBar>{views}</ViewBar>
          <EmptyState title="No steps have started yet" />
        </>
      ) : (
        <TreePane
          label="Steps over time"
          noun="steps"
          lead={views}
          items={tree.items}
          range={tree.range}
          chosen={chosen}
          choose={choose}
          look={look}
          setLook={setLook}
          scrubber={moment}
        />
      )}
    </Panes>
  )
}

/** Scrolls to the details of what was selected, where they are below the tree. */
function showPanel(): void {
  document.querySelector('[role=tabpanel] section')?.scrollIntoView({ block: 'nearest' })
}

function viewsOf({ usage }: ExecutionDetail, isStored: boolean) {
  const views: [string, string][] = [
    ['timeline', 'Timeline'],
    ['graph', 'Graph'],
  ]
  if (isStored && usage) views.push(['costs', 'Costs'])
  if (isStored) views.push(['compare', 'Compare'])
  return views
}

function ViewBar({ children }: { readonly children: ReactNode }) {
  return <div className="flex shrink-0 border-b border-line bg-panel px-4 py-1">{children}</div>
}

interface SelectedProps extends RunTabProps, RunContents {
  readonly tree: RunTree
  readonly usual: ReturnType<typeof useUsualTimes>
  readonly chosen: string
  readonly choose: (key: string) => void
}

/** What is selected in the tree; the run itself until something is. */
function Selected(props: SelectedProps) {
  const { record, replay, moment, spans, logs, tree, usual, chosen, choose } = props
  const shown = moment.record
  const close = () => choose('')
  const key = readItemKey(chosen)
  if (key.kind === 'span') {
    const span = spans.find(({ spanId }) => spanId === key.id)
    if (span)
      return (
        <SpanPanel
          key={chosen}
          span={span}
          spans={spans}
          after={Date.parse(span.startTime) - tree.range.start}
          parent={spans.find(({ spanId }) => spanId === span.parentSpanId)}
          choose={(spanId) => choose(tree.keyOfSpan(spanId))}
          close={close}
        />
      )
  } else if (key.kind === 'log') {
    const log = logs.find(({ id }) => id === key.id)
    if (log)
      return (
        <SidePanel key={chosen} title={`Log record, ${log.level}`} close={close}>
          <LogDetails record={log} />
        </SidePanel>
      )
  } else if (key.kind !== 'earlier') {
    const step = [...shown.steps, ...hookSteps(shown)].find(({ path }) => path === key.path)
    const attempts = shown === record ? tree.attempts : new Attempts(shown.events)
    const canReplay = step && !isHookPath(step.path) && step.compensates === undefined
    if (step)
      return (
        <StepPanel
          key={chosen}
          step={step}
          attempts={attempts.of(step)}
          record={shown}
          usual={usual}
          close={close}
          replay={replay && canReplay ? () => replay(step.stepId) : undefined}
          spans={spans}
          until={moment.at}
        />
      )
  }
  const showStep = (stepId: string) => choose(shown.steps.find((step) => step.stepId === stepId)?.path ?? '')
  return (
    <RunPane
      record={record}
      shown={shown}
      isStored={replay !== undefined}
      replay={replay}
      showStep={showStep}
    />
  )
}
