import { JsonEditor } from '../json/json-editor.tsx'
import { fieldErrors } from './field-errors.ts'
import { SchemaField } from './schema-field.tsx'
import type { Form } from './use-form.ts'

export interface SchemaFormProps {
  readonly form: Form
  readonly label: string
  /** Message of a 400 response, shown at the fields that it names. */
  readonly validationMessage?: string | undefined
  /** Name of the value in the messages of the server: `input`, `resumeData`. */
  readonly root: string
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onSubmit?: () => void
}

const MODES = { form: 'Form', json: 'JSON' } as const

/** A form for a JSON Schema, or a JSON editor for the same value. See `useForm`. */
export function SchemaForm({ form, label, validationMessage, root, onSubmit }: SchemaFormProps) {
  const errors = fieldErrors(validationMessage, root)
  const { problem } = form.read()
  return (
    <fieldset className="flex min-w-0 max-w-2xl flex-col gap-2">
      <legend className="sr-only">{label}</legend>
      <div className="flex self-start rounded-sm border border-line" role="group" aria-label={`${label} as`}>
        {(['form', 'json'] as const).map((mode) => (
          <button
            key={mode}
            type="button"
            aria-pressed={form.mode === mode}
            onClick={() => form.setMode(mode)}
            className="px-2 py-0.5 text-sm text-dim hover:bg-hover aria-pressed:bg-chosen aria-pressed:text-text"
          >
            {MODES[mode]}
          </button>
        ))}
      </div>
      {form.mode === 'form' ? (
        <SchemaField
          schema={form.schema}
          root={form.schema}
          value={form.value}
          onChange={form.setValue}
          path=""
          errors={errors}
          required
        />
      ) : (
        <JsonEditor
          label={label}
          value={form.text}
          onChange={form.setText}
          error={problem ?? textOf(errors)}
          {...(onSubmit && { onSubmit })}
        />
      )}
    </fieldset>
  )
}

function textOf(errors: ReadonlyMap<string, string>): string | undefined {
  if (errors.size === 0) return undefined
  return [...errors].map(([path, error]) => (path === '' ? error : `${path}: ${error}`)).join('; ')
}
