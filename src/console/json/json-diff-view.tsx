import { useMemo, useState } from 'react'
import { aroundChange, jsonDiff } from './json-diff.ts'
import type { Difference } from './json-diff.ts'
import { shortJson } from './parse-json.ts'

export interface JsonDiffViewProps {
  readonly before: unknown
  readonly after: unknown
  /** Accessible name. */
  readonly label: string
  /** Text without differences. */
  readonly same?: string
}

const STEP = 50

/** The differences of two JSON values, as removed and added lines. */
export function JsonDiffView({ before, after, label, same = 'No differences' }: JsonDiffViewProps) {
  const found = useMemo(() => jsonDiff(before, after), [before, after])
  const [shown, setShown] = useState(STEP)
  if (found.length === 0) return <p className="text-dim">{same}</p>
  const rest = found.length - shown
  return (
    <div className="min-w-0">
      <ul aria-label={label} className="flex flex-col gap-1 font-mono text-sm">
        {found.slice(0, shown).map((one) => (
          <li key={one.path} className="min-w-0">
            {one.path !== '' && <div className="break-all text-dim">{one.path}</div>}
            <Sides {...one} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button
          type="button"
          className="text-sm text-accent hover:underline"
          onClick={() => setShown(shown + STEP * 4)}
        >
          Show {rest} more
        </button>
      )}
    </div>
  )
}

function Sides({ kind, ...sides }: Difference) {
  const [before, after] = aroundChange(sides.before, sides.after)
  return (
    <>
      {kind !== 'added' && (
        <div className="whitespace-pre-wrap break-all bg-error-panel px-1 text-error">
          <span aria-label="removed">- </span>
          {textOf(before)}
        </div>
      )}
      {kind !== 'removed' && (
        <div className="whitespace-pre-wrap break-all bg-panel px-1 text-ok">
          <span aria-label="added">+ </span>
          {textOf(after)}
        </div>
      )}
    </>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? shortJson(JSON.stringify(value)) : shortJson(value)
}
