import { useEffect, useEffectEvent, useMemo } from 'react'
import { decisionOf, isIncomplete, prefilled, withoutDecision } from '../form/decision.ts'
import { isObject } from '../form/json-schema.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useSignedInUser } from '../form/signed-in.ts'
import { useForm, useEdited } from '../form/use-form.ts'
import { Button } from '../ui/controls/button.tsx'
import type { Resumption } from './use-resume.ts'

export interface DecisionFormProps extends Resumption {
  readonly schema: JsonSchema
}

const NOTHING: JsonSchema = {}

/** Resumes what requests a decision: one button for each answer, below what is sent with it. */
export function DecisionForm(props: DecisionFormProps) {
  const { schema, resume, isPending, validationMessage, onEdited, onReady, isListed = false } = props
  const name = decisionOf(schema) ?? ''
  const user = useSignedInUser()
  const rest = useMemo(() => withoutDecision(schema, name), [schema, name])
  const form = useForm(rest ?? NOTHING, rest && prefilled(rest, user))
  useEdited(form.unsaved, onEdited)
  const decide = (approved: boolean) =>
    form.submit((value) => resume({ resumeData: { ...(isObject(value) && value), [name]: approved } }))
  const ready = useEffectEvent(decide)
  const isComplete = !rest || !isIncomplete(rest, form.read().value)
  useEffect(() => {
    onReady?.({ decide: (approved) => ready(approved), isComplete })
    return () => onReady?.(undefined)
  }, [onReady, isComplete])
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {rest ? (
        <SchemaForm
          form={form}
          label="Resume data"
          root="resumeData"
          validationMessage={validationMessage}
          isPlain={isListed}
          columns={isListed}
        />
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

interface DecisionButtonsProps {
  readonly decide: (approved: boolean) => void
  readonly disabled: boolean
}

/** The two answers to a request. Neither is preset. */
function DecisionButtons({ decide, disabled }: DecisionButtonsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button kind="primary" size="touch" onClick={() => decide(true)} disabled={disabled}>
        Approve
      </Button>
      <Button kind="danger" size="touch" onClick={() => decide(false)} disabled={disabled}>
        Reject
      </Button>
    </div>
  )
}
