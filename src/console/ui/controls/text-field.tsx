import { useId } from 'react'

export interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'datetime-local'
  readonly placeholder?: string
  readonly error?: string | undefined
  readonly hint?: string | undefined
  readonly required?: boolean
  /** Shows several lines, in the font of code. */
  readonly rows?: number
  /** Values to choose from; others can be typed. */
  readonly options?: readonly string[]
}

export const FIELD =
  'w-full rounded-sm border border-line-strong bg-raised px-2 py-1 text-text aria-invalid:border-error'

/** A labelled text field. */
export function TextField(props: TextFieldProps) {
  const { label, value, onChange, type = 'text', placeholder, error, hint, required, rows, options } = props
  const id = useId()
  const field = {
    id,
    value,
    placeholder,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': error === undefined && hint === undefined ? undefined : `${id}-note`,
    spellCheck: false,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  }
  return (
    <div>
      <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {rows === undefined ? (
        <input
          {...field}
          type={type}
          required={required}
          autoComplete="off"
          list={options && `${id}-options`}
          className={FIELD}
        />
      ) : (
        <textarea {...field} rows={rows} className={`${FIELD} font-mono text-sm`} />
      )}
      {options && (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      <FieldNote id={`${id}-note`} error={error} hint={hint} />
    </div>
  )
}

/** The note below a field: its error, else its hint. */
export function FieldNote(props: { id: string; error?: string | undefined; hint?: string | undefined }) {
  const { id, error, hint } = props
  if (error === undefined && hint === undefined) return null
  return (
    <p id={id} className={`pt-0.5 text-sm ${error === undefined ? 'text-dim' : 'text-error'}`}>
      {error ?? hint}
    </p>
  )
}
