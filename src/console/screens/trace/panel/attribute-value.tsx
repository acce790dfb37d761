import { useState } from 'react'
import { JsonView } from '../../../json/json-view.tsx'
import { escapeHidden } from '../../../ui/escape-hidden.ts'
import { countText } from '../../../ui/time/format-time.ts'

const MAX_LENGTH = 500

/** The value of an attribute. Long texts are truncated, with a button for the rest. */
export function AttributeValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const [isExpanded, setExpanded] = useState(false)
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value) || value.length > 5) return <JsonView value={value} label={name} open={1} />
    return <span className="break-all font-mono text-sm">{escapeHidden(value.map(String).join(', '))}</span>
  }
  const text = escapeHidden(String(value))
  const isTruncated = text.length > MAX_LENGTH && !isExpanded
  return (
    <span className="whitespace-pre-wrap break-all font-mono text-sm">
      {isTruncated ? text.slice(0, MAX_LENGTH) : text}
      {isTruncated && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setExpanded(true)}>
          {countText(text.length - MAX_LENGTH)} more characters
        </button>
      )}
    </span>
  )
}
