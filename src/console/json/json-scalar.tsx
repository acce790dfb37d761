import { useState } from 'react'
import { escapeBidi } from './escape-bidi.ts'

const MAX_LENGTH = 500

/** A value without members. Long texts are truncated, with a button for the rest. */
export function JsonScalar({ value }: { readonly value: unknown }) {
  const [expanded, setExpanded] = useState(false)
  if (typeof value !== 'string') return <span className="text-running">{JSON.stringify(value)}</span>
  const isTruncated = value.length > MAX_LENGTH && !expanded
  return (
    <span className="whitespace-pre-wrap break-words text-ok">
      {quote(isTruncated ? value.slice(0, MAX_LENGTH) : value)}
      {isTruncated && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setExpanded(true)}>
          Show {value.length - MAX_LENGTH} more characters
        </button>
      )}
    </span>
  )
}

function quote(text: string): string {
  return escapeBidi(JSON.stringify(text))
}
