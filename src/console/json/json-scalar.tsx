import { useState } from 'react'
import { escapeBidi } from './escape-bidi.ts'

const MAX_LENGTH = 500

/** A value without members. Long texts are cut until the rest is asked for. */
export function JsonScalar({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-running">{JSON.stringify(value)}</span>
  const isCut = value.length > MAX_LENGTH && !whole
  return (
    <span className="whitespace-pre-wrap break-words text-ok">
      {quoted(isCut ? value.slice(0, MAX_LENGTH) : value)}
      {isCut && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setWhole(true)}>
          {value.length - MAX_LENGTH} more characters
        </button>
      )}
    </span>
  )
}

function quoted(text: string): string {
  return escapeBidi(JSON.stringify(text))
}
