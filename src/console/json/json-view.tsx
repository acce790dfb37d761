import { useId, useMemo } from 'react'
import { CopyButton, IconButton } from '../ui/controls/button.tsx'
import { saveFile } from '../ui/controls/save-file.ts'
import { Icon } from '../ui/icon.tsx'
import { JsonNode } from './json-node.tsx'

export interface JsonViewProps {
  readonly value: unknown
  /** Accessible name of the tree. */
  readonly label: string
  /** Number of levels expanded at first. */
  readonly open?: number
}

/**
 * A JSON value as a collapsible tree. Long arrays and texts are truncated, with a button for the rest; large values can
 * be downloaded.
 */
export function JsonView({ value, label, open = 2 }: JsonViewProps) {
  const id = useId()
  const canSave = useMemo(() => isLarge(value), [value])
  if (value === undefined) return <p className="text-dim">none</p>
  return (
    <div className="relative min-w-0">
      <span id={id} className="sr-only">
        {label}
      </span>
      <ul
        role="tree"
        aria-labelledby={id}
        className={`overflow-x-auto font-mono text-sm ${canSave ? 'pr-14' : 'pr-8'}`}
      >
        <JsonNode value={value} open={open} first />
      </ul>
      <div className="absolute right-0 top-0 flex">
        {canSave && (
          <IconButton label={`Download ${label}`} onClick={() => saveFile(`${label}.json`, textOf(value))}>
            <Icon name="download" />
          </IconButton>
        )}
        <CopyButton text={() => textOf(value)} label={`Copy ${label}`} />
      </div>
    </div>
  )
}

function textOf(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

const LARGE = 100_000

/** Whether the JSON of a value has more than about 100,000 characters. Stops counting there. */
function isLarge(value: unknown): boolean {
  let left = LARGE
  // not recursive: values may be nested deeply
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const one = open.pop()
    if (typeof one === 'string') left -= one.length
    else if (typeof one !== 'object' || one === null) left--
    else
      for (const key in one) {
        left -= key.length
        if (left < 0) break
        open.push((one as Readonly<Record<string, unknown>>)[key])
      }
  }
  return left < 0
}
