import { useEffect, useEffectEvent, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Select } from '../ui/controls/select.tsx'
import { FIELD } from '../ui/controls/text-field.tsx'

/** A row of filters above a list. Their values are in the URL: see `useUrlState`. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return (
    <search
      aria-label="Filters"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-1.5"
    >
      {children}
    </search>
  )
}

export interface FilterTextProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Focused by `/`. */
  readonly first?: boolean
}

const SETTLE_MS = 150

/** A text filter, applied shortly after the last keystroke. */
export function FilterText({ label, value, onChange, first }: FilterTextProps) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    setText(value)
  }
  // a live page renders all the time, with other functions: only a keystroke delays the filter
  const apply = useEffectEvent(onChange)
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => apply(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      data-filter={first ? '' : undefined}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
      className={`${FIELD} max-w-40`}
    />
  )
}

export interface FilterSelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  /** Text of an option; default: the option itself. */
  readonly text?: (option: string) => string
  readonly onChange: (value: string) => void
}

/** A filter with fixed options; the empty value is "any". */
export function FilterSelect({ label, value, options, text = String, onChange }: FilterSelectProps) {
  const id = useId()
  return (
    <span className="flex items-center gap-1.5 text-sm text-dim">
      <label htmlFor={id}>{label}</label>
      <Select
        id={id}
        value={value}
        options={[
          { value: '', text: 'any' },
          ...options.map((option) => ({ value: option, text: text(option) })),
        ]}
        onChange={onChange}
        className="max-w-60"
      />
    </span>
  )
}
