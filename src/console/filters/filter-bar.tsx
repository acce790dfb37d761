import { useEffect, useEffectEvent, useId, useState, useRef, useMemo, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { Select } from '../ui/controls/select.tsx'
import { FIELD } from '../ui/controls/text-field.tsx'
import { CloseButton } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { serverClock } from '../ui/time/use-now.ts'

const HOUR_MS = 3_600_000

/** The relative ranges of time filters, by their value in the URL. */
const TIME_RANGES: ReadonlyMap<string, { readonly text: string; readonly ms: number }> = new Map([
  ['15m', { text: 'last 15 minutes', ms: HOUR_MS / 4 }],
  ['1h', { text: 'last hour', ms: HOUR_MS }],
  ['24h', { text: 'last 24 hours', ms: 24 * HOUR_MS }],
  ['7d', { text: 'last 7 days', ms: 168 * HOUR_MS }],
])

/** The start of a relative range, counted from when it was chosen; `from` without one. */
export function useRangeStart(last: string, from: string): string {
  const offset = useSyncExternalStore(serverClock.subscribe, serverClock.offset)
  return useMemo(() => {
    const range = TIME_RANGES.get(last)
    return range === undefined ? from : new Date(Date.now() + offset - range.ms).toISOString()
  }, [last, from, offset])
}

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

interface FilterTextProps {
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

interface FilterChipProps {
  readonly label: string
  readonly value: string
  readonly remove: () => void
}

/** A filter that was set by a link: shown while active, and removable. */
export function FilterChip({ label, value, remove }: FilterChipProps) {
  if (value === '') return null
  return (
    <span className="inline-flex max-w-72 items-center gap-1 rounded-sm border border-line-strong bg-raised pl-2 text-sm">
      <span className="text-dim">{label}</span>
      <span className="truncate font-mono" title={value}>
        {value.length > 16 ? `…${value.slice(-12)}` : value}
      </span>
      <CloseButton label={`Remove filter: ${label}`} onClick={remove} />
    </span>
  )
}

interface MoreFiltersProps {
  /** Number of these filters that are set. */
  readonly set: number
  readonly children: ReactNode
}

/** Less common filters: shown on demand, or when one of them is set. */
export function MoreFilters({ set, children }: MoreFiltersProps) {
  const [isOpen, setOpen] = useState(set > 0)
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className="inline-flex min-h-6 items-center gap-1 text-sm text-dim hover:text-text"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        More filters{set > 0 && ` (${set})`}
      </button>
      {isOpen && <div className="order-last flex basis-full flex-wrap items-center gap-2">{children}</div>}
    </>
  )
}

const CUSTOM = 'custom'

interface TimeRange {
  /** A relative range, such as `1h`; empty for none. */
  readonly last: string
  /** ISO 8601 timestamps; empty for none. */
  readonly from: string
  readonly to: string
}

interface FilterRangeProps extends TimeRange {
  readonly onChange: (range: TimeRange) => void
}

/** A time filter: the relative ranges first, then any two times. */
export function FilterRange({ last, from, to, onChange }: FilterRangeProps) {
  const isSet = from !== '' || to !== ''
  const [isCustom, setCustom] = useState(false)
  const value = last === '' && (isSet || isCustom) ? CUSTOM : last
  return (
    <>
      <FilterSelect
        label="Time"
        value={value}
        options={[...TIME_RANGES.keys(), CUSTOM]}
        text={(range) => TIME_RANGES.get(range)?.text ?? 'custom'}
        onChange={(range) => {
          setCustom(range === CUSTOM)
          onChange(range === CUSTOM ? { last: '', from, to } : { last: range, from: '', to: '' })
        }}
      />
      {value === CUSTOM && (
        <>
          <FilterTime
            label="After"
            value={from}
            onChange={(after) => onChange({ last: '', from: after, to })}
          />
          <FilterTime
            label="Before"
            value={to}
            onChange={(before) => onChange({ last: '', from, to: before })}
          />
        </>
      )}
    </>
  )
}

interface FilterTimeProps {
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
