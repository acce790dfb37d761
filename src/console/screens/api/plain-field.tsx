import { useId } from 'react'
import { FIELD, FieldNote } from '../../ui/controls/text-field.tsx'

export interface PlainFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint: string
  readonly rows?: number
}

/** A field for raw text. */
export function PlainField({ label, value, onChange, hint, rows = 1 }: PlainFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
        {label}
      </label>
      <textarea
        id={id}
        value={value}
        rows={rows}
        spellCheck={false}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.value)}
        className={`${FIELD} font-mono text-sm`}
      />
      <FieldNote id={`${id}-note`} hint={hint} />
    </div>
  )
}
