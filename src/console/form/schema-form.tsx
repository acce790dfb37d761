import { useEffect, useId, useRef } from 'react'
import { sendKeys } from '../keys/send-keys.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { fieldErrors } from './field-errors.ts'
import type { FieldErrors } from './field-errors.ts'
import { SchemaField } from './schema-field.tsx'
import type { Form } from './use-form.ts'

export interface SchemaFormProps {
  readonly form: Form
  readonly label: string
  /** Message of a 400 response, shown at the fields that it names. */
  readonly validationMessage?: string | undefined
  /** Name of the value in the messages of the server: `input`, `resumeData`. */
  readonly root: string
  /** Shows the fields of an object side by side where there is room. */
  readonly columns?: boolean
  /** Without the choice between form and JSON. */
  readonly isPlain?: boolean
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onSubmit?: () => void
}

const MODES = { form: 'Form', json: 'JSON' } as const

/** A form for a JSON Schema, or a JSON editor for the same value. See `useForm`. */
export function SchemaForm(props: SchemaFormProps) {
  const { form, label, validationMessage, root, columns = false, isPlain = false, onSubmit } = props
  const errors = form.errors.size > 0 ? form.errors : fieldErrors(validationMessage, root)
  const { problem } = form.read()
  const id = useId()
  const box = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (form.refusals > 0) focusFirst(box.current)
  }, [form.refusals])
  return (
    <fieldset
      ref={box}
      onKeyDown={onSubmit && sendKeys(onSubmit)}
      className={`@container flex min-w-0 flex-col gap-2 ${columns ? 'max-w-4xl' : 'max-w-2xl'}`}
    >
      <legend className="sr-only">{label}</legend>
      {!isPlain && <ModeChoice form={form} label={label} />}
      {form.mode === 'form' ? (
        <SchemaField
          schema={form.schema}
          root={form.schema}
          value={form.value}
          onChange={form.setValue}
          path=""
          errors={errors}
          columns={columns}
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
      <p id={id} role="alert" tabIndex={-1} className="text-sm text-error" data-errors="">
        {form.refusals > 0 && form.errors.size > 0 && summaryOf(form.errors)}
      </p>
    </fieldset>
  )
}

function ModeChoice({ form, label }: Pick<SchemaFormProps, 'form' | 'label'>) {
  return (
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
  )
}

function textOf(errors: ReadonlyMap<string, string>): string | undefined {
  if (errors.size === 0) return undefined
  return [...errors].map(([path, error]) => (path === '' ? error : `${path}: ${error}`)).join('; ')
}

function summaryOf(errors: FieldErrors): string {
  const names = [...errors.keys()].map((path) => (path === '' ? 'the value' : path))
  return `Not sent. Correct ${names.join(', ')}`
}

/** Moves the focus to the first field with an error, else to the list of errors. */
function focusFirst(box: HTMLElement | null): void {
  const fields = [...(box?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])]
  // a folded part of the page can't have the focus
  const folded = box?.closest('details')
  if (folded) folded.open = true
  const field = fields.find((one) => one.checkVisibility())
  ;(field ?? box?.querySelector<HTMLElement>('[data-errors]'))?.focus()
}
