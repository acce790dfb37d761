export interface SegmentedProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, name: string])[]
  readonly onChange: (value: T) => void
}

/** A choice among a few visible options. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex shrink-0 rounded-sm border border-line-strong"
    >
      {options.map(([one, name]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => onChange(one)}
          className="min-h-6 px-2 py-0.5 text-sm text-dim hover:bg-hover aria-pressed:bg-chosen aria-pressed:text-text"
        >
          {name}
        </button>
      ))}
    </div>
  )
}
