import { useState } from 'react'
import { readJson } from '../json/parse-json.ts'
import { decisionOf, prefilled } from '../form/decision.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useSignedInUser } from '../form/signed-in.ts'
import { useEdited, useForm } from '../form/use-form.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { useKeys } from '../keys/use-keys.ts'
import { Button } from '../ui/controls/button.tsx'
import { DecisionForm } from './decision-form.tsx'
import type { Resumption } from './use-resume.ts'

export interface ResumeFormProps extends Resumption {
  readonly schema: JsonSchema | null | undefined
}

/** The form for the data that resumes what waits. */
export function ResumeForm({ schema, ...resumption }: ResumeFormProps) {
  if (!schema) return <ResumeButton {...resumption} />
  return decisionOf(schema) === undefined ? (
    <DataForm schema={schema} {...resumption} />
  ) : (
    <DecisionForm schema={schema} {...resumption} />
  )
}

function DataForm({
  schema,
  resume,
  isPending,
  validationMessage,
  onEdited,
  isListed = false,
}: Resumption & { readonly schema: JsonSchema }) {
  const user = useSignedInUser()
  const form = useForm(schema, prefilled(schema, user))
  useEdited(form.unsaved, onEdited)
  const { problem } = form.read()
  const send = () => {
    if (!isPending) form.submit((resumeData) => resume({ resumeData }))
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SchemaForm
        form={form}
        label="Resume data"
        root="resumeData"
        validationMessage={validationMessage}
        isPlain={isListed}
        columns={isListed}
        onSubmit={send}
      />
      <SendButton send={send} isListed={isListed} disabled={isPending || problem !== undefined} />
    </div>
  )
}

/** Without a resume schema: the data is optional. */
function ResumeButton({ resume, isPending, validationMessage, onEdited, isListed = false }: Resumption) {
  const [text, setText] = useState('')
  const isEmpty = text.trim() === ''
  useEdited(!isEmpty, onEdited)
  const { value, problem } = isEmpty ? {} : readJson(text)
  const send = () => {
    if (problem === undefined && !isPending) resume(isEmpty ? {} : { resumeData: value })
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <details>
        <summary className="text-sm text-dim">Resume data (optional)</summary>
        <div className="pt-1">
          <JsonEditor label="Resume data" value={text} onChange={setText} onSubmit={send} error={problem} />
        </div>
      </details>
      {validationMessage !== undefined && <p className="text-sm text-error">{validationMessage}</p>}
      <SendButton send={send} isListed={isListed} disabled={isPending || problem !== undefined} />
    </div>
  )
}

interface SendButtonProps {
  readonly send: () => void
  readonly disabled: boolean
  readonly isListed: boolean
}

function SendButton({ send, disabled, isListed }: SendButtonProps) {
  useKeys(isListed ? [] : [{ keys: 'mod+Enter', label: 'Resume', group: 'Run', run: send }])
  return (
    <div className="flex">
      <Button
        kind="primary"
        size="touch"
        onClick={send}
        disabled={disabled}
        {...(!isListed && { keys: 'Control+Enter' })}
      >
        Resume
      </Button>
    </div>
  )
}
