import { CloseButton } from '../ui/controls/close-button.tsx'

export interface FilterChipProps {
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
