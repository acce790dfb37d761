import { useId, useState } from 'react'
import type { FieldErrors } from '../../../form/field-errors.ts'
import { FIELD, FieldNote, TextField } from '../../../ui/controls/text-field.tsx'
import type { RunForm } from './use-run-form.ts'

export interface RunOptionsProps {
  readonly form: RunForm
  readonly errors: FieldErrors
}

const IDS = [
  ['userId', 'User id', 'Whom the execution is tracked under'],
  ['conversationId', 'Conversation id', 'The conversation it belongs to'],
  ['executionId', 'Execution id', 'An id of your own, which must be new'],
] as const

/** What a run takes beside its input. */
export function RunOptionsFields({ form, errors }: RunOptionsProps) {
  const { options, setOptions, contextProblem } = form
  const id = useId()
  const given = Object.values(options).some((text) => text !== '')
  const contextError = contextProblem ?? errorAt(errors, 'context')
  const [isOpen, setOpen] = useState(given)
  return (
    <details open={isOpen || errors.size > 0} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 text-sm text-dim">Options</summary>
      <div className="flex flex-col gap-2 pt-1">
        {IDS.map(([key, label, hint]) => (
          <TextField
            key={key}
            label={label}
            value={options[key]}
            onChange={(text) => setOptions({ [key]: text.trim() })}
            error={errorAt(errors, key)}
            hint={hint}
          />
        ))}
        <div>
          <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
            Context (JSON)
          </label>
          <textarea
            id={id}
            value={options.context}
            rows={Math.min(8, options.context.split('\n').length + 1)}
            spellCheck={false}
            aria-invalid={contextError !== undefined || undefined}
            aria-describedby={`${id}-note`}
            onChange={({ target }) => setOptions({ context: target.value })}
            className={`${FIELD} font-mono text-sm`}
          />
          <FieldNote id={`${id}-note`} error={contextError} hint="Further data, handed to every step" />
        </div>
      </div>
    </details>
  )
}

/** What is said of an option, or of something within it. */
function errorAt(errors: FieldErrors, key: string): string | undefined {
  const found = [...errors].find(
    ([path]) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
  )
  return found?.[1]
}
