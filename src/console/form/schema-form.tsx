import { JsonEditor } from '../json/json-editor.tsx'
import { fieldErrors } from './field-errors.ts'
import { SchemaField } from './schema-field.tsx'
import type { Form } from './use-form.ts'

export interface SchemaFormProps {
  readonly form: Form
  readonly label: string
  /** What the server answered with 400; its sentences are shown at the fields they name. */
  readonly refusal?: string | undefined
  /** How the server's messages call the value: `input`, `resumeData`. */
  readonly root: string
  /** Ctrl or Cmd and Enter. */
  readonly onSubmit?: () => void
}

const MODES = { form: 'Form', json: 'JSON' } as const

/** A form made from a JSON Schema, or the same value as JSON. See `useForm`. */
export function SchemaForm({ form, label, refusal, root, onSubmit }: SchemaFormProps) {
  const errors = fieldErrors(refusal, root)
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
  return [...errors].map(([path, said]) => (path === '' ? said : `${path}: ${said}`)).join('; ')
}
