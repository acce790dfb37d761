import { useId, useState } from 'react'
import { FIELD, FieldNote } from '../../ui/controls/text-field.tsx'
import { noteOf } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for any JSON value. */
export function JsonField({ schema, value, onChange, path, errors, name = 'Value', required }: KindProps) {
  const id = useId()
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [problem, setProblem] = useState<string>()
  const typed = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : (JSON.parse(next) as unknown))
      setProblem(undefined)
    } catch {
      setProblem('Invalid JSON')
    }
  }
  const error = problem ?? errors.get(path)
  return (
    <div>
      <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
        {noteOf(schema, 'title') ?? name} (JSON)
        {required && <span aria-hidden="true"> *</span>}
      </label>
      <textarea
        id={id}
        value={text}
        rows={Math.min(8, text.split('\n').length + 1)}
        spellCheck={false}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => typed(target.value)}
        className={`${FIELD} font-mono text-sm`}
      />
      <FieldNote id={`${id}-note`} error={error} hint={noteOf(schema, 'description')} />
    </div>
  )
}
