import { useEffect, useEffectEvent, useState } from 'react'
import { useEndpoint } from '../api/use-endpoint.ts'
import { Facts } from '../json/facts.tsx'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useForm, useEdited } from '../form/use-form.ts'
import { Button } from '../ui/controls/button.tsx'
import { useDiscard } from '../ui/dialog/discard-question.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { hasMore, type PendingCall } from '../../contract/pending-call.ts'
import type { ReadyDecision } from '../execution/use-resume.ts'
import { ResumeForm } from '../execution/resume-form.tsx'
import { type RunAddress, useDecision, type Decision, type SendDecision } from './use-decision.ts'

export interface ApprovalPanelProps {
  readonly approval: PendingCall
  readonly run: RunAddress
  readonly send?: SendDecision
  /** Called when the decision is stored and the run has continued. */
  readonly onDecided?: () => void
  /** Called with whether something was entered that is not decided. */
  readonly onEdited?: (edited: boolean) => void
  /** Whether it is one of several on the page. */
  readonly isListed?: boolean
  /** Called with the way to decide from outside the panel; must be stable. Undefined when the panel is gone. */
  readonly onReady?: ((form: ReadyDecision | undefined) => void) | undefined
}

/** A tool call that waits for approval, or a form that it requests, with the actions to decide. */
export function ApprovalPanel(props: ApprovalPanelProps) {
  const { approval, run, send, onDecided, onEdited, isListed = false, onReady } = props
  const { toolName, kind, message, schema, wait } = approval
  const decision = useDecision(approval, run, { send, onDecided })
  const isForm = kind === 'elicitation'
  return (
    // not a landmark: an answer may have several with the same name
    <div
      role="group"
      aria-label={isForm ? `Form of ${toolName}` : `Approval of ${toolName}`}
      className={`flex min-w-0 flex-col gap-2 ${isListed ? '' : 'rounded-md border border-suspended bg-warning-panel p-3'}`}
    >
      {/* the card of a list has it as its heading */}
      {!isListed && (
        <h3 className="flex items-center gap-1.5 font-medium">
          <Icon name="suspended" className="shrink-0 text-suspended" />
          <span className="min-w-0 break-words">
            {isForm ? (message ?? `${toolName} requests input`) : `Approve ${toolName}?`}
          </span>
        </h3>
      )}
      {wait && hasMore(wait) && <Facts value={wait.data} title="Request data" />}
      {wait ? (
        <ResumeForm
          schema={schema}
          {...decision}
          resume={({ resumeData: input }) => decision.decide({ approved: true, input })}
          onEdited={onEdited}
          isListed={isListed}
          onReady={onReady}
        />
      ) : isForm ? (
        <InputForm
          decision={decision}
          onEdited={onEdited}
          schema={schema ?? {}}
          label="Form"
          verb="Submit"
          otherVerb="Decline"
          other={() => decision.decide({ approved: false })}
        />
      ) : (
        <CallDecision approval={approval} decision={decision} onEdited={onEdited} onReady={onReady} />
      )}
      {decision.failure !== undefined && (
        <p role="alert" className="break-words text-error">
          <Icon name="error" className="mr-1.5 inline" />
          Not decided: {decision.failure}
        </p>
      )}
      {decision.isPending && <p role="status">Continuing…</p>}
    </div>
  )
}

interface PartProps {
  readonly approval: PendingCall
  readonly decision: Decision
  readonly onEdited: ((edited: boolean) => void) | undefined
}

function CallDecision({
  approval,
  decision,
  onEdited,
  onReady,
}: PartProps & Pick<ApprovalPanelProps, 'onReady'>) {
  const [mode, setMode] = useState<'view' | 'edit' | 'deny'>('view')
  const { toolName, input } = approval
  const decide = useEffectEvent((approved: boolean) => decision.decide({ approved }))
  const isViewed = mode === 'view'
  useEffect(() => {
    // what is being typed is decided in the panel
    if (isViewed) onReady?.({ decide: (approved) => decide(approved), isComplete: true })
    return () => onReady?.(undefined)
  }, [onReady, isViewed])
  const { data: tools } = useEndpoint('listTools', {})
  if (mode === 'edit' && tools)
    return (
      <InputForm
        decision={decision}
        onEdited={onEdited}
        // tools of other generations and of MCP servers that are gone are edited as JSON
        schema={tools.find(({ name }) => name === toolName)?.inputSchema ?? {}}
        initial={input}
        label="Arguments"
        verb="Approve with changes"
        otherVerb="Cancel"
        other={() => setMode('view')}
      />
    )
  if (mode === 'deny')
    return <Denial decision={decision} onEdited={onEdited} cancel={() => setMode('view')} />
  return (
    <>
      <Facts value={input} title="Arguments" isExact />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          size="touch"
          onClick={() => decision.decide({ approved: true })}
          disabled={decision.isPending}
        >
          Approve
        </Button>
        <Button size="touch" onClick={() => setMode('edit')} disabled={decision.isPending || !tools}>
          Edit
        </Button>
        <Button kind="danger" size="touch" onClick={() => setMode('deny')} disabled={decision.isPending}>
          Deny
        </Button>
      </div>
    </>
  )
}

interface InputFormProps extends Omit<PartProps, 'approval'> {
  readonly schema: JsonSchema
  readonly initial?: unknown
  readonly label: string
  readonly verb: string
  readonly otherVerb: string
  readonly other: () => void
}

/** A form whose values approve the call: edited arguments, or the data that a tool requests. */
function InputForm({ schema, initial, label, verb, otherVerb, other, decision, onEdited }: InputFormProps) {
  const form = useForm(schema, initial)
  useEdited(form.unsaved, onEdited)
  const send = () => {
    if (!decision.isPending) form.submit((input) => decision.decide({ approved: true, input }))
  }
  // a request that is declined needs no data
  const { requestDiscard, question } = useDiscard(initial !== undefined && form.edited, () => other())
  return (
    <>
      <SchemaForm
        form={form}
        label={label}
        root="approvals[0].input"
        validationMessage={decision.validationMessage}
        onSubmit={send}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          onClick={send}
          disabled={decision.isPending || form.read().problem !== undefined}
        >
          {verb}
        </Button>
        <Button onClick={requestDiscard} disabled={decision.isPending}>
          {otherVerb}
        </Button>
      </div>
      {question}
    </>
  )
}

interface DenialProps extends Omit<PartProps, 'approval'> {
  readonly cancel: () => void
}

function Denial({ decision, onEdited, cancel }: DenialProps) {
  const [reason, setReason] = useState('')
  useEdited(reason.trim() !== '', onEdited)
  const { requestDiscard, question } = useDiscard(reason.trim() !== '', cancel)
  const send = () =>
    decision.decide({ approved: false, ...(reason.trim() !== '' && { reason: reason.trim() }) })
  return (
    <>
      <TextField label="Reason, for the model (optional)" value={reason} onChange={setReason} />
      <div className="flex flex-wrap gap-2">
        <Button kind="danger" onClick={send} disabled={decision.isPending}>
          Deny call
        </Button>
        <Button onClick={requestDiscard} disabled={decision.isPending}>
          Cancel
        </Button>
      </div>
      {question}
    </>
  )
}
