import { useMemo } from 'react'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { decisionOf, withoutDecision } from '../form/decision.ts'
import { isObject } from '../form/json-schema.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useForm } from '../form/use-form.ts'
import { useUnsaved } from '../form/use-unsaved.ts'
import { Button } from '../ui/controls/button.tsx'
import { useResume } from './use-resume.ts'

export interface DecisionFormProps {
  readonly schema: JsonSchema
  readonly record: ExecutionDetail
  readonly refetch: () => void
  /** One of several steps that wait. */
  readonly stepId?: string | undefined
}

/** Resumes an execution whose request is a decision: one button for each answer, below what may be added to it. */
export function DecisionForm({ schema, record, refetch, stepId }: DecisionFormProps) {
  const name = decisionOf(schema) ?? ''
  const rest = useMemo(() => withoutDecision(schema, name), [schema, name])
  const form = useForm(rest ?? {})
  useUnsaved(form.unsaved)
  const { resume, isPending, validationMessage } = useResume(record, refetch, stepId)
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
