import { useId } from 'react'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { JsonNode } from './json-node.tsx'

export interface JsonViewProps {
  readonly value: unknown
  /** Names the tree for whoever can't see where it stands. */
  readonly label: string
  /** Levels that are open at first. */
  readonly open?: number
}

/**
 * Any JSON as a tree of elements: foldable, by keyboard too, and bounded: of long lists and texts the rest is
 * shown when it is asked for.
 */
export function JsonView({ value, label, open = 2 }: JsonViewProps) {
  const id = useId()
  if (value === undefined) return <p className="text-dim">nothing</p>
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
