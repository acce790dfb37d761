import { useEffect, useId, useRef } from 'react'
import { FIELD } from '../ui/controls/text-field.tsx'

export interface FilterTimeProps {
  readonly label: string
  /** An ISO 8601 timestamp; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A time filter, entered in local time and stored as a timestamp. */
export function FilterTime({ label, value, onChange }: FilterTimeProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // a partially filled field has no value yet, and must not be overwritten
    if (field.current && instantIn(field.current) !== value) field.current.value = localTime(value)
  }, [value])
  return (
    <label htmlFor={id} className="flex items-center gap-1.5 text-sm text-dim">
      {label}
      <input
        ref={field}
        id={id}
        type="datetime-local"
        step={60}
        defaultValue={localTime(value)}
        onChange={({ target }) => {
          if (!target.validity.badInput) onChange(instantIn(target))
        }}
        className={`${FIELD} w-auto text-base`}
      />
    </label>
  )
}

function instantIn({ value }: HTMLInputElement): string {
  const time = new Date(value)
  return value === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

/** Local time as `2026-11-20T12:04`, the format of the field. */
function localTime(instant: string): string {
  const time = new Date(instant)
  if (instant === '' || Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
