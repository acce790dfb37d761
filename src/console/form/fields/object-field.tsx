import { memberPath } from '../field-errors.ts'
import { isObject, noteOf, propertiesOf, requiredOf } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for an object with known properties. */
export function ObjectField(props: KindProps) {
  const { Field, schema, root, value, onChange, path, errors, name, columns } = props
  const members = isObject(value) ? value : {}
  const required = requiredOf(schema)
  const description = noteOf(schema, 'description')
  const set = (key: string, member: unknown) => {
    const { [key]: _, ...rest } = members
    onChange(member === undefined ? rest : { ...members, [key]: member })
  }
  // required constants need no field
  const editable = Object.entries(propertiesOf(schema)).filter(
    ([key, member]) => !('const' in member && required.includes(key)),
  )
  const fields = editable.map(([key, member]) => (
    <Field
      key={key}
      schema={member}
      root={root}
      name={key}
      value={members[key]}
      onChange={(changed) => set(key, changed)}
      path={memberPath(path, key)}
      errors={errors}
      required={required.includes(key)}
    />
  ))
  const error = errors.get(path)
  return (
    <fieldset className={name === undefined ? '' : 'border-l-2 border-line pl-3'}>
      <legend className={name === undefined ? 'sr-only' : 'pb-1 text-sm text-dim'}>
        {noteOf(schema, 'title') ?? name ?? 'Value'}
      </legend>
      {description !== undefined && <p className="pb-1 text-sm text-dim">{description}</p>}
      <div className={`grid min-w-0 gap-2 ${columns ? 'gap-x-4 @md:grid-cols-2 @2xl:grid-cols-3' : ''}`}>
        {fields}
      </div>
      {Object.keys(propertiesOf(schema)).length === 0 && <p className="text-sm text-dim">No properties</p>}
      {error !== undefined && <p className="pt-1 text-sm text-error">{error}</p>}
    </fieldset>
  )
}
