import { useId } from 'react'
import { Select } from '../../ui/controls/select.tsx'
import { FieldNote } from '../../ui/controls/text-field.tsx'
import { noteOf } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

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
      <Select
        id={id}
        value={at === -1 ? '' : String(at)}
        options={[
          ...(at === -1 || !required
            ? [{ value: '', text: required ? 'Not set: choose a value' : 'not set' }]
            : []),
          ...choices.map((choice, index) => ({
            value: String(index),
            text: typeof choice === 'string' ? choice : JSON.stringify(choice),
          })),
        ]}
        invalid={errors.has(path)}
        describedBy={`${id}-note`}
        onChange={(next) => onChange(next === '' ? undefined : choices[Number(next)])}
      />
      <FieldNote id={`${id}-note`} error={errors.get(path)} hint={noteOf(schema, 'description')} />
    </div>
  )
}

function choicesOf(schema: KindProps['schema']): readonly unknown[] {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : [true, false]
}
