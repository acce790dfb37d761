import { ArrayField } from './array-field.tsx'
import { kindOf, resolveSchema, noteOf, withoutNull } from '../json-schema.ts'
import type { FieldProps, KindProps } from '../field-props.ts'
import { ObjectField } from './object-field.tsx'
import { RecordField } from './record-field.tsx'
import { NumberField, StringField } from './scalar-fields.tsx'
import { UnionField } from './union-field.tsx'
import { useId, useState } from 'react'
import { Select } from '../../ui/controls/select.tsx'
import { FieldNote, FIELD } from '../../ui/controls/text-field.tsx'
import { initialValue } from '../initial-value.ts'

const FIELDS = {
  string: StringField,
  number: NumberField,
  boolean: ChoiceField,
  choice: ChoiceField,
  fixed: ChoiceField,
  nullable: NullableField,
  union: UnionField,
  object: ObjectField,
  record: RecordField,
  array: ArrayField,
  any: JsonField,
} as const

/** The field for a schema. */
export function SchemaField(props: FieldProps) {
  const schema = resolveSchema(props.schema, props.root)
  const Kind = FIELDS[kindOf(schema)]
  return <Kind {...props} schema={schema} Field={SchemaField} />
}

/** A field for an enum, boolean or const. */
function ChoiceField(props: KindProps) {
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

/** A field for a nullable value. */
function NullableField(props: KindProps) {
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

/** A field for any JSON value. */
function JsonField({ schema, value, onChange, path, errors, name = 'Value', required }: KindProps) {
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
