import { useId } from 'react'
import { FIELD, FieldNote } from '../ui/controls/text-field.tsx'
import { noteOf } from './json-schema.ts'
import type { KindProps } from './field-props.ts'

/** A field for an enum, boolean or const. */
export function ChoiceField(props: KindProps) {
  const { schema, value, onChange, path, errors, name = 'Value', required } = props
  const id = useId()
  const choices = choicesOf(schema)
  const at = choices.indexOf(value)
  return (
    <div>
      <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
        {noteOf(schema, 'title') ?? name}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      <select
        id={id}
        value={at === -1 ? '' : String(at)}
        aria-invalid={errors.has(path) || undefined}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)])}
        className={FIELD}
      >
        {(at === -1 || !required) && <option value="">not set</option>}
        {choices.map((choice, index) => (
          <option key={JSON.stringify(choice)} value={index}>
            {typeof choice === 'string' ? choice : JSON.stringify(choice)}
          </option>
        ))}
      </select>
      <FieldNote id={`${id}-note`} error={errors.get(path)} hint={noteOf(schema, 'description')} />
    </div>
  )
}

function choicesOf(schema: KindProps['schema']): readonly unknown[] {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : [true, false]
}
