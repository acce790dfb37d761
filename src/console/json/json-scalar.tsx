import { useState } from 'react'
import { escapeBidi } from './escape-bidi.ts'

const MAX_LENGTH = 500
/** Characters that each click shows more of: the layout of a text of megabytes would block the page. */
const STEP = 100_000

/** A value without members. Long texts are truncated, with a button for the rest. */
export function JsonScalar({ value }: { readonly value: unknown }) {
  const [shown, setShown] = useState(MAX_LENGTH)
  if (typeof value !== 'string') return <span className="text-running">{JSON.stringify(value)}</span>
  const rest = value.length - shown
  return (
    <span className="whitespace-pre-wrap break-words text-ok">
      {quote(rest > 0 ? value.slice(0, shown) : value)}
      {rest > 0 && (
        <button
          type="button"
          className="ml-1 text-accent hover:underline"
          onClick={() => setShown(shown + STEP)}
        >
          Show {Math.min(rest, STEP)} more characters{rest > STEP && ` of ${rest}`}
        </button>
      )}
    </span>
  )
}

function quote(text: string): string {
  return escapeBidi(JSON.stringify(text))
}
