import { useId, useState } from 'react'
import type { FieldErrors } from '../../../form/field-errors.ts'
import { FIELD, FieldNote, TextField } from '../../../ui/controls/text-field.tsx'
import type { RunForm } from './use-run-form.ts'

export interface RunOptionsProps {
  readonly form: RunForm
  readonly errors: FieldErrors
}

const IDS = [
  ['userId', 'User id', 'User of the execution'],
  ['conversationId', 'Conversation id', 'Conversation of the execution'],
  ['executionId', 'Execution id', 'Must be unique; default: a generated id'],
] as const

/** The options of a run. */
export function RunOptionsFields({ form, errors }: RunOptionsProps) {
  const { options, setOptions, contextProblem } = form
  const id = useId()
  const hasOptions = Object.values(options).some((text) => text !== '')
  const contextError = contextProblem ?? errorAt(errors, 'context')
  const [isOpen, setOpen] = useState(hasOptions)
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
          <FieldNote id={`${id}-note`} error={contextError} hint="Available to every step" />
        </div>
      </div>
    </details>
  )
}

/** The error of an option, or of a value within it. */
function errorAt(errors: FieldErrors, key: string): string | undefined {
  const found = [...errors].find(
    ([path]) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
  )
  return found?.[1]
}
