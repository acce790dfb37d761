import { useId, useState } from 'react'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { StepWait } from '../../contract/step-wait.ts'
import { BreakpointPanel } from '../breakpoints/breakpoint-panel.tsx'
import { isPaused } from '../graph/step-states.ts'
import { propertiesOf } from '../form/json-schema.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { Facts } from '../json/facts.tsx'
import { useKeys } from '../keys/use-keys.ts'
import { CopyButton, IconButton } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { exactTime } from '../ui/time/format-time.ts'
import { Time } from '../ui/time/time.tsx'
import { MisfitsPanel } from './misfits-panel.tsx'
import { ResumeForm } from './resume-form.tsx'
import { useResume } from './use-resume.ts'

export interface ResumePanelProps {
  readonly record: ExecutionDetail
  readonly refetch: () => void
}

interface ResumeProps extends ResumePanelProps {
  readonly schema: JsonSchema | null | undefined
  /** One of several steps that wait. */
  readonly stepId: string | undefined
}

/** The suspension of an execution: its reason and data, and the form to resume it. */
export function ResumePanel(props: ResumePanelProps) {
  const { suspension } = props.record
  if (isPaused(props.record)) return <BreakpointPanel key={suspension?.suspendedAt} {...props} />
  return <Suspension {...props} />
}

function Suspension({ record: whole, refetch }: ResumePanelProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(true)
  const [chosen, choose] = useState<string>()
  const { waits = [] } = whole
  const misfits = whole.suspension?.misfits
  const isOneOfMany = waits.length > 1 && !misfits
  const wait = isOneOfMany ? (waits.find(({ path }) => path === chosen) ?? waits[0]) : undefined
  const record = wait ? waitingFor(whole, wait) : whole
  const { suspension } = record
  const openForm = () => {
    setOpen(true)
    requestAnimationFrame(focusResumePanel)
  }
  useKeys([{ keys: 'u', label: 'Go to resume form', group: 'Run', run: openForm }])
  const event = record.events.findLast(({ type }) => type === 'workflow-suspended')
  if (!suspension) return null
  const schema = wait ? wait.resumeSchema : (event?.['resumeSchema'] as JsonSchema | null | undefined)
  const props = { record, refetch, stepId: wait?.path }
  const key = `${suspension.suspendedAt} ${wait?.path ?? ''}`
  return (
    <section
      aria-labelledby={id}
      data-resume=""
      className="@container max-h-[45%] shrink-0 overflow-auto max-sm:max-h-none border-b border-line bg-warning-panel px-4 py-1.5"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-x-1.5 font-semibold max-sm:flex-wrap">
        <IconButton label={isOpen ? 'Collapse' : 'Expand'} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} />
        </IconButton>
        <Icon name="suspended" className="shrink-0 text-suspended" />
        <bdi
          id={id}
          className="line-clamp-4 min-w-0 max-w-full break-words max-sm:flex-[1_1_70%]"
          title={waitingText(record, schema)}
        >
          {waitingText(record, schema)}
        </bdi>
        <span className="text-sm font-normal text-dim sm:whitespace-nowrap">
          {suspension.stepId}, <Time at={suspension.suspendedAt} />
          {suspension.wakeAt !== undefined && `, continues at ${exactTime(suspension.wakeAt)}`}
        </span>
        {whole.resumeUrl !== undefined && (
          <CopyButton text={whole.resumeUrl} label="Copy a link to decide without an account" />
        )}
      </h2>
      <div className={`grid gap-x-8 gap-y-2 pt-2 @2xl:grid-cols-2 ${isOpen ? '' : 'hidden'}`}>
        {isOneOfMany && <WaitChoice waits={waits} chosen={wait?.path} choose={choose} />}
        {suspension.data !== undefined && suspension.data !== null && (
          <Facts value={suspension.data} title="Request data" />
        )}
        {misfits ? (
          <MisfitsPanel key={key} misfits={misfits} {...props} />
        ) : (
          <Resume key={key} schema={schema} {...props} />
        )}
      </div>
    </section>
  )
}

/** The record with one of several waits as its suspension. */
function waitingFor(record: ExecutionDetail, { path: _, type: __, resumeSchema: ___, ...wait }: StepWait) {
  const { suspendedAt = '', suspendedStepIndex = 0 } = record.suspension ?? {}
  return { ...record, suspension: { suspendedAt, suspendedStepIndex, ...wait } }
}

interface WaitChoiceProps {
  readonly waits: readonly StepWait[]
  readonly chosen: string | undefined
  readonly choose: (path: string) => void
}

/** Which of several waits the form answers. */
function WaitChoice({ waits, chosen, choose }: WaitChoiceProps) {
  const name = useId()
  return (
    <fieldset className="col-span-full flex flex-wrap gap-x-4 gap-y-1">
      <legend className="pb-1 text-sm text-dim">{waits.length} steps wait</legend>
      {waits.map(({ path, stepId, reason }) => (
        <label key={path} className="flex min-w-0 items-center gap-1.5">
          <input type="radio" name={name} checked={path === chosen} onChange={() => choose(path)} />
          <span className="font-mono text-sm">{stepId}</span>
          <bdi className="truncate text-sm text-dim">{reason}</bdi>
        </label>
      ))}
    </fieldset>
  )
}

/** What a suspended execution waits for. */
function waitingText({ suspension, steps }: ExecutionDetail, schema: JsonSchema | null | undefined): string {
  if (!suspension) return ''
  const { reason, stepId, event, key, misfits } = suspension
  if (misfits) return 'Does not fit the changed code'
  const type = steps.findLast((step) => step.stepId === stepId && step.status === 'suspended')?.type
  if (event !== undefined) return `Waiting for event ${event}${key === undefined ? '' : ` with key ${key}`}`
  if (type === 'andSleep' || type === 'andSleepUntil') return 'Sleeping'
  if (type === 'andWorkflow') return `Waiting for a child run: ${reason}`
  if (!schema) return `Suspended: ${reason}`
  const fields = propertiesOf(schema)
  const isDecision =
    'approvals' in fields || Object.values(fields).some(({ type: kind }) => kind === 'boolean')
  const kind = isDecision ? 'Waiting for approval' : 'Waiting for input'
  return reason.toLowerCase().startsWith(kind.toLowerCase()) ? reason : `${kind}: ${reason}`
}

function Resume({ schema, record, refetch, stepId }: ResumeProps) {
  return <ResumeForm schema={schema} {...useResume(record, refetch, stepId)} />
}

const FIELDS = 'input:not([aria-hidden]), textarea, [role="combobox"]'

/** Moves the focus to the resume form of a suspended execution. */
function focusResumePanel(): void {
  const panel = document.querySelector<HTMLElement>('[data-resume]')
  const fields = [...(panel?.querySelectorAll<HTMLElement>(FIELDS) ?? [])]
  const buttons = [...(panel?.querySelectorAll<HTMLElement>('button') ?? [])]
  // without a form there is only the resume button
  const target = fields.find((field) => field.checkVisibility()) ?? buttons.at(-1)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus()
}
