import { useState } from 'react'
import type { ToolApproval } from '../../contract/agent-event.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { JsonView } from '../json/json-view.tsx'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useForm } from '../form/use-form.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { type RunAddress, useDecision, type Decision } from './use-decision.ts'

export interface ApprovalPanelProps {
  readonly approval: ToolApproval
  readonly run: RunAddress
  /** Called when the decision is stored and the run has continued. */
  readonly onDecided?: () => void
}

/** A tool call that waits for approval, or a form that it requests, with the actions to decide. */
export function ApprovalPanel({ approval, run, onDecided }: ApprovalPanelProps) {
  const { toolName, kind, message } = approval
  const decision = useDecision(approval, run, onDecided)
  const isForm = kind === 'elicitation'
  return (
    <section
      aria-label={isForm ? `Form of ${toolName}` : `Approval of ${toolName}`}
      className="flex min-w-0 flex-col gap-2 rounded-md border border-suspended bg-warning-panel p-3"
    >
      <h3 className="flex items-center gap-1.5 font-medium">
        <Icon name="suspended" className="shrink-0 text-suspended" />
        <span className="min-w-0 break-words">
          {isForm ? (message ?? `${toolName} requests input`) : `Approve ${toolName}?`}
        </span>
      </h3>
      {isForm ? (
        <RequestedForm approval={approval} decision={decision} />
      ) : (
        <CallDecision approval={approval} decision={decision} />
      )}
      {decision.isPending && <p role="status">Continuing…</p>}
    </section>
  )
}

interface PartProps {
  readonly approval: ToolApproval
  readonly decision: Decision
}

function RequestedForm({ approval: { schema = {} }, decision }: PartProps) {
  const form = useForm(schema)
  const { value, problem } = form.read()
  const isDisabled = decision.isPending || problem !== undefined
  const send = () => {
    if (!isDisabled) decision.decide({ approved: true, input: value })
  }
  return (
    <>
      <EditedInput form={form} label="Form" decision={decision} onSubmit={send} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={send} disabled={isDisabled}>
          Submit
        </Button>
        <Button onClick={() => decision.decide({ approved: false })} disabled={decision.isPending}>
          Decline
        </Button>
      </div>
    </>
  )
}

function CallDecision({ approval, decision }: PartProps) {
  const [mode, setMode] = useState<'view' | 'edit' | 'deny'>('view')
  const { toolName, input } = approval
  const { data: tools } = useEndpoint('listTools', {})
  if (mode === 'edit' && tools)
    return (
      <EditCall
        // tools of other generations and of MCP servers that are gone are edited as JSON
        schema={tools.find(({ name }) => name === toolName)?.inputSchema}
        approval={approval}
        decision={decision}
        cancel={() => setMode('view')}
      />
    )
  if (mode === 'deny') return <Denial decision={decision} cancel={() => setMode('view')} />
  return (
    <>
      <JsonView value={input} label={`Arguments of ${toolName}`} open={3} />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          onClick={() => decision.decide({ approved: true })}
          disabled={decision.isPending}
        >
          Approve
        </Button>
        <Button onClick={() => setMode('edit')} disabled={decision.isPending || !tools}>
          Edit
        </Button>
        <Button kind="danger" onClick={() => setMode('deny')} disabled={decision.isPending}>
          Deny
        </Button>
      </div>
    </>
  )
}

interface EditCallProps extends PartProps {
  readonly schema: JsonSchema | undefined
  readonly cancel: () => void
}

function EditCall({ approval: { input }, schema, decision, cancel }: EditCallProps) {
  const form = useForm(schema ?? {}, input)
  const { value, problem } = form.read()
  const isDisabled = decision.isPending || problem !== undefined
  const send = () => {
    if (!isDisabled) decision.decide({ approved: true, input: value })
  }
  return (
    <>
      <EditedInput form={form} label="Arguments" decision={decision} onSubmit={send} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={send} disabled={isDisabled}>
          Approve with changes
        </Button>
        <Button onClick={cancel} disabled={decision.isPending}>
          Cancel
        </Button>
      </div>
    </>
  )
}

function Denial({ decision, cancel }: { readonly decision: Decision; readonly cancel: () => void }) {
  const [reason, setReason] = useState('')
  const send = () =>
    decision.decide({ approved: false, ...(reason.trim() !== '' && { reason: reason.trim() }) })
  return (
    <>
      <TextField label="Reason, for the model (optional)" value={reason} onChange={setReason} />
      <div className="flex flex-wrap gap-2">
        <Button kind="danger" onClick={send} disabled={decision.isPending}>
          Deny call
        </Button>
        <Button onClick={cancel} disabled={decision.isPending}>
          Cancel
        </Button>
      </div>
    </>
  )
}

interface EditedInputProps {
  readonly form: ReturnType<typeof useForm>
  readonly label: string
  readonly decision: Decision
  readonly onSubmit: () => void
}

function EditedInput({ form, label, decision, onSubmit }: EditedInputProps) {
  return (
    <SchemaForm
      form={form}
      label={label}
      root="approvals[0].input"
      validationMessage={decision.validationMessage}
      onSubmit={onSubmit}
    />
  )
}
