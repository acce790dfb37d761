import { useId } from 'react'
import { initialValue } from '../initial-value.ts'
import { noteOf, withoutNull } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for a nullable value. */
export function NullableField(props: KindProps) {
  const { Field, schema, root, value, onChange, name } = props
  const id = useId()
  const inner = withoutNull(schema)
  return (
    <div>
      <label htmlFor={id} className="flex items-center gap-1.5 pb-0.5 text-sm text-dim">
        <input
          id={id}
          type="checkbox"
          checked={value === null}
          onChange={({ target }) => onChange(target.checked ? null : initialValue(inner, root))}
        />
        {noteOf(schema, 'title') ?? name ?? 'Value'} is null
      </label>
      {value !== null && <Field {...props} schema={inner} />}
    </div>
  )
}
