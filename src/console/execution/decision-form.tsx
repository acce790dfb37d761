import { useMemo } from 'react'
import { decisionOf, withoutDecision } from '../form/decision.ts'
import { isObject } from '../form/json-schema.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useForm, useEdited } from '../form/use-form.ts'
import { Button } from '../ui/controls/button.tsx'
import type { Resumption } from './use-resume.ts'

export interface DecisionFormProps extends Resumption {
  readonly schema: JsonSchema
}

/** Resumes what requests a decision: one button for each answer, below what may be added to it. */
export function DecisionForm({ schema, resume, isPending, validationMessage, onEdited }: DecisionFormProps) {
  const name = decisionOf(schema) ?? ''
  const rest = useMemo(() => withoutDecision(schema, name), [schema, name])
  const form = useForm(rest ?? {})
  useEdited(form.unsaved, onEdited)
  const decide = (approved: boolean) =>
    form.submit((value) => resume({ resumeData: { ...(isObject(value) && value), [name]: approved } }))
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {rest ? (
        <SchemaForm form={form} label="Resume data" root="resumeData" validationMessage={validationMessage} />
      ) : (
        validationMessage !== undefined && (
          <p role="alert" className="text-sm text-error">
            {validationMessage}
          </p>
        )
      )}
      <DecisionButtons disabled={isPending || form.read().problem !== undefined} decide={decide} />
    </div>
  )
}

export interface DecisionButtonsProps {
  readonly decide: (approved: boolean) => void
  readonly disabled: boolean
  readonly size?: 'normal' | 'small'
}

/** The two answers to a request. Neither is preset. */
export function DecisionButtons({ decide, disabled, size = 'normal' }: DecisionButtonsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button kind="primary" size={size} onClick={() => decide(true)} disabled={disabled}>
        Approve
      </Button>
      <Button kind="danger" size={size} onClick={() => decide(false)} disabled={disabled}>
        Reject
      </Button>
    </div>
  )
}
