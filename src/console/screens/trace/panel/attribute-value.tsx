import { useState } from 'react'
import { JsonView } from '../../../json/json-view.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { countText } from '../../../ui/time/format-time.ts'

const LONGEST = 500

/** The value of an attribute. Long texts are cut until the rest is asked for. */
export function AttributeValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value) || value.length > 5) return <JsonView value={value} label={name} open={1} />
    return <span className="break-all font-mono text-sm">{visibleText(value.map(String).join(', '))}</span>
  }
  const text = visibleText(String(value))
  const isCut = text.length > LONGEST && !whole
  return (
    <span className="whitespace-pre-wrap break-all font-mono text-sm">
      {isCut ? text.slice(0, LONGEST) : text}
      {isCut && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setWhole(true)}>
          {countText(text.length - LONGEST)} more characters
        </button>
      )}
    </span>
  )
}
