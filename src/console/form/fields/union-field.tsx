import { useId, useState } from 'react'
import { Select } from '../../ui/controls/select.tsx'
import { initialValue } from '../initial-value.ts'
import { branchesOf, isObject, noteOf, propertiesOf, resolveSchema, typesOf } from '../json-schema.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for a union: a select for the branch, then the field of the branch. */
export function UnionField(props: KindProps) {
  const { Field, schema, root, value, onChange, name = 'Value' } = props
  const id = useId()
  const branches = branchesOf(schema).map((branch) => resolveSchema(branch, root))
  const [chosen, setChosen] = useState(() =>
    Math.max(
      0,
      branches.findIndex((branch) => matches(branch, value)),
    ),
  )
  const branch = branches[chosen] ?? {}
  return (
    <div className="flex flex-col gap-2">
      <div>
        <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
          {noteOf(schema, 'title') ?? name}: type
        </label>
        <Select
          id={id}
          value={String(chosen)}
          options={branches.map((one, index) => ({ value: String(index), text: nameOf(one) }))}
          onChange={(index) => {
            const next = Number(index)
            setChosen(next)
            onChange(initialValue(branches[next] ?? {}, root))
          }}
        />
      </div>
      <Field key={chosen} {...props} schema={branch} />
    </div>
  )
}

/** The name of a branch: its title, its constant members, or its type. */
function nameOf(branch: JsonSchema): string {
  const fixed = Object.entries(propertiesOf(branch)).filter(([, member]) => 'const' in member)
  const title = noteOf(branch, 'title')
  if (title !== undefined) return title
  if ('const' in branch) return JSON.stringify(branch['const'])
  if (fixed.length > 0) return fixed.map(([key, member]) => `${key}: ${String(member['const'])}`).join(', ')
  return typesOf(branch).join(' or ') || 'any'
}

function matches(branch: JsonSchema, value: unknown): boolean {
  if ('const' in branch) return branch['const'] === value
  const fixed = Object.entries(propertiesOf(branch)).filter(([, member]) => 'const' in member)
  if (fixed.length > 0)
    return isObject(value) && fixed.every(([key, member]) => value[key] === member['const'])
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return typesOf(branch).some((one) => one === type || (one === 'integer' && type === 'number'))
}
