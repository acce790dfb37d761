import { useState } from 'react'
import { plainText } from './plain-text.ts'

const LONGEST = 500

/** A value without members. Long texts are cut until the rest is asked for. */
export function JsonScalar({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-running">{JSON.stringify(value)}</span>
  const isCut = value.length > LONGEST && !whole
  return (
    <span className="whitespace-pre-wrap break-words text-ok">
      {quoted(isCut ? value.slice(0, LONGEST) : value)}
      {isCut && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setWhole(true)}>
          {value.length - LONGEST} more characters
        </button>
      )}
    </span>
  )
}

function quoted(text: string): string {
  return plainText(JSON.stringify(text))
}
