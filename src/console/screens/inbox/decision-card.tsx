import { useCallback, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { BREAKPOINT } from '../../../contract/breakpoints/breakpoint.ts'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { approvalTitle } from '../../approvals/approval-title.ts'
import { ApprovalPanel } from '../../approvals/approval-panel.tsx'
import { Undone } from '../../approvals/held-decisions.ts'
import type { Decided, HeldDecisions } from '../../approvals/held-decisions.ts'
import { decisionSender, isConflict } from '../../approvals/use-decision.ts'
import type { SendDecision } from '../../approvals/use-decision.ts'
import { ResumeForm } from '../../execution/resume-form.tsx'
import type { ReadyDecision, Resumption } from '../../execution/use-resume.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { decisionOf } from '../../form/decision.ts'
import { isObject } from '../../form/json-schema.ts'
import type { JsonSchema } from '../../form/json-schema.ts'
import { Facts } from '../../json/facts.tsx'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Button, CopyButton } from '../../ui/controls/button.tsx'
import { DeclaredName } from '../../ui/declared-name.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time/time.tsx'

interface Selection {
  readonly isSelected: boolean
  readonly toggle: () => void
}

interface CardProps {
  /** Identifies what is decided. */
  readonly id: string
  readonly held: HeldDecisions
  readonly decided: Decided | undefined
  /** Whether it waits no more, and only keeps its place. */
  readonly isGone: boolean
  /** The address of this decision, relative to the console. */
  readonly link: string
  /** Must be stable. */
  readonly onReady: (id: string, form: ReadyDecision | undefined) => void
  /** Set where nothing is missing that has to be entered. */
  readonly selection: Selection | undefined
}

interface FrameProps extends Omit<CardProps, 'onReady'> {
  readonly title: string
  readonly source: ReactNode
  readonly since: string
  /** The page of what waits. */
  readonly to: string
  readonly children: ReactNode
}

/** A card. When it is decided, its form does nothing more and keeps its place: nothing moves below the pointer. */
function CardFrame(props: FrameProps) {
  const { id, held, decided, isGone, link, selection, title, source, since, to, children } = props
  const { router } = useServices()
  const titleId = useId()
  const isDone = decided !== undefined || isGone
  return (
    <li
      aria-labelledby={titleId}
      data-decision={id}
      tabIndex={-1}
      className="shrink-0 rounded-md border border-line bg-raised p-3 outline-offset-[-2px]"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-x-3">
        {selection && !isDone && (
          <input
            type="checkbox"
            aria-label={`Select: ${title}`}
            checked={selection.isSelected}
            onChange={selection.toggle}
            className="block size-4 max-sm:size-5"
          />
        )}
        <Link to={to} className="min-w-0 max-w-60 truncate text-accent hover:underline">
          {source}
        </Link>
        <span className="text-sm text-dim">
          <Time at={since} />
        </span>
        <span role="status" className="ml-auto flex items-center gap-2">
          {isDone ? (
            <>
              <span className="flex items-center gap-1.5 text-ok">
                <Icon name="ok" />
                {decided?.text ?? 'decided'}
              </span>
              <Link to={to} className="text-accent">
                Open
              </Link>
              {decided?.isHeld && (
                <Button size="small" onClick={() => held.undo(id)}>
                  <Icon name="undo" /> Undo
                </Button>
              )}
            </>
          ) : (
            <CopyButton text={() => router.url(link)} label="Copy link to this decision" />
          )}
        </span>
      </div>
      <div inert={isDone} className={isDone ? 'opacity-60' : ''}>
        <h2 id={titleId} className="whitespace-pre-wrap pb-2 text-lg font-semibold [overflow-wrap:anywhere]">
          <bdi>{title}</bdi>
        </h2>
        {children}
      </div>
    </li>
  )
}

/** An execution that waits for a person: its question with its data and the input of the run, and the form. */
export function ExecutionCard({ record, ...card }: CardProps & { readonly record: ExecutionRecord }) {
  const { id, held, onReady } = card
  const { suspension, input, omitted } = record
  const to = `executions/${encodeURIComponent(record.id)}`
  const ready = useCallback((form: ReadyDecision | undefined) => onReady(id, form), [onReady, id])
  const resumption = useHeldResume(record, { id, held, to })
  const schema = resumeSchemaOf(record)
  const isElsewhere = suspension?.reason === BREAKPOINT || suspension?.misfits !== undefined
  return (
    <CardFrame
      {...card}
      to={to}
      source={<bdi title={record.workflowId}>{workflowNameOf(record)}</bdi>}
      title={titleOf(record)}
      since={suspension?.suspendedAt ?? record.updatedAt}
    >
      <div className="grid gap-x-8 gap-y-3 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <Facts title="Request" value={suspension?.data} />
          {omitted?.includes('input') ? (
            <p className="text-sm text-dim">The input is too large for this list.</p>
          ) : (
            <Facts title="Input" value={input} />
          )}
        </div>
        <div className="@container min-w-0">
          {isElsewhere ? (
            <Link to={to} className="text-accent">
              Open the run to continue it
            </Link>
          ) : (
            <ResumeForm schema={schema} {...resumption} isListed onReady={ready} />
          )}
        </div>
      </div>
    </CardFrame>
  )
}

function titleOf({ suspension }: ExecutionRecord): string {
  if (!suspension) return 'Suspended'
  const { reason, stepId, misfits } = suspension
  if (misfits) return `${escapeHidden(stepId)} does not fit the changed code`
  return escapeHidden(reason === BREAKPOINT ? `Paused before ${stepId}` : reason)
}

function resumeSchemaOf({ events }: ExecutionRecord): JsonSchema | undefined {
  const event = events.findLast(({ type }) => type === 'workflow-suspended')
  return (event?.['resumeSchema'] as JsonSchema | null | undefined) ?? undefined
}

interface HeldOptions extends Pick<CardProps, 'id' | 'held'> {
  readonly to: string
}

/** Resumes the execution after the time in which that can be undone. */
function useHeldResume(record: ExecutionRecord, { id, held, to }: HeldOptions): Resumption {
  const { api, queries, toasts } = useServices()
  const [refusal, setRefusal] = useState<string>()
  const schema = resumeSchemaOf(record)
  const { id: executionId, workflowId } = record
  const link = { to, text: 'Open' }
  const send = async (text: string, body: { readonly resumeData?: unknown }) => {
    setRefusal(undefined)
    try {
      // what it waits for then may be another question, which nobody has seen
      const stepId = record.suspension?.stepId
      const sent = { ...body, ...(stepId !== undefined && { options: { stepId } }) }
      await held.hold({ key: id, text, bytes: bytesOf(sent) }, (keepalive) =>
        api.call('resumeExecution', { params: { id: workflowId, executionId }, body: sent, keepalive }),
      )
      toasts.info(`${workflowNameOf(record)}: ${text}`, link)
    } catch (error) {
      if (error instanceof Undone) return
      const status = error instanceof ApiError ? error.status : 0
      if (status === 400) setRefusal(errorMessage(error))
      // 500: the execution was resumed and failed later, which its record shows
      else if (status === 500) toasts.error(`${workflowNameOf(record)}: ${text}, then failed`, link)
      else toasts.error(errorMessage(error), link)
    } finally {
      for (const key of ['observeExecutions', 'getActivity'])
        void queries.invalidateQueries({ queryKey: [key] })
    }
  }
  return {
    isPending: false,
    validationMessage: refusal,
    resume: (body) => void send(wordFor(schema, body.resumeData), body),
  }
}

function bytesOf(body: unknown): number {
  return new TextEncoder().encode(JSON.stringify(body)).length
}

function wordFor(schema: JsonSchema | undefined, data: unknown): string {
  const name = schema && decisionOf(schema)
  if (name === undefined || !isObject(data)) return 'resumed'
  return data[name] === true ? 'approved' : 'rejected'
}

/** A tool call of an agent that waits for approval, or a form that it requests. */
export function ApprovalCard({ approval, ...card }: CardProps & { readonly approval: ListedApproval }) {
  const { id, held, onReady } = card
  const { api, toasts } = useServices()
  const { runAgentId: agentId, runId, toolName, kind, createdAt } = approval
  const to = `agents/${encodeURIComponent(agentId)}?tab=history&run=${encodeURIComponent(runId)}`
  const ready = useCallback((form: ReadyDecision | undefined) => onReady(id, form), [onReady, id])
  const isForm = kind === 'elicitation'
  const send: SendDecision = async (run, response, path) => {
    const text = isForm ? 'answered' : response.approved ? 'approved' : 'denied'
    const link = { to, text: 'Open' }
    try {
      const result = await held.hold({ key: id, text, bytes: bytesOf(response) }, (keepalive) =>
        decisionSender(api, agentId, keepalive)(run, response, path),
      )
      toasts.info(`${toolName}: ${text}`, link)
      return result
    } catch (error) {
      // the card, which shows it, may be gone
      if (!(error instanceof Undone) && !isConflict(error as Error))
        toasts.error(`${toolName}: ${errorMessage(error)}`, link)
      throw error
    }
  }
  return (
    <CardFrame
      {...card}
      to={to}
      source={<DeclaredName kind="agent" id={agentId} />}
      title={approvalTitle(approval)}
      since={createdAt}
    >
      <ApprovalPanel approval={approval} run={{ agentId, runId }} send={send} isListed onReady={ready} />
    </CardFrame>
  )
}
