import { useState } from 'react'
import { FilterSelect } from './filter-bar.tsx'
import { FilterTime } from './filter-time.tsx'
import { TIME_RANGES } from './time-range.ts'

const CUSTOM = 'custom'

interface TimeRange {
  /** A relative range, such as `1h`; empty for none. */
  readonly last: string
  /** ISO 8601 timestamps; empty for none. */
  readonly from: string
  readonly to: string
}

export interface FilterRangeProps extends TimeRange {
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
