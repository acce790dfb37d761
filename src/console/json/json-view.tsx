import { useId } from 'react'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { JsonNode } from './json-node.tsx'

export interface JsonViewProps {
  readonly value: unknown
  /** Accessible name of the tree. */
  readonly label: string
  /** Number of levels expanded at first. */
  readonly open?: number
}

/** A JSON value as a collapsible tree. Long arrays and texts are truncated, with a button for the rest. */
export function JsonView({ value, label, open = 2 }: JsonViewProps) {
  const id = useId()
  if (value === undefined) return <p className="text-dim">none</p>
  return (
    <div className="relative min-w-0">
      <span id={id} className="sr-only">
        {label}
      </span>
      <ul role="tree" aria-labelledby={id} className="overflow-x-auto pr-8 font-mono text-sm">
        <JsonNode value={value} open={open} first />
      </ul>
      <div className="absolute right-0 top-0">
        <CopyButton text={() => JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      </div>
    </div>
  )
}
