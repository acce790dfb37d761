import { useState } from 'react'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'

import { TextField } from '../../ui/controls/text-field.tsx'
import { memberPath } from '../field-errors.ts'
import { initialValue } from '../initial-value.ts'
import { isObject, noteOf } from '../json-schema.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for an object with arbitrary keys. */
export function RecordField(props: KindProps) {
  const { Field, schema, root, value, onChange, path, errors, name = 'Values' } = props
  const [key, setKey] = useState('')
  const members = isObject(value) ? value : {}
  const member = schema['additionalProperties'] as JsonSchema
  const add = () => {
    onChange({ ...members, [key]: initialValue(member, root) })
    setKey('')
  }
  return (
    <fieldset className="border-l-2 border-line pl-3">
      <legend className="pb-1 text-sm text-dim">{noteOf(schema, 'title') ?? name}</legend>
      <div className="flex flex-col gap-2">
        {Object.entries(members).map(([own, memberValue]) => (
          <div key={own} className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <Field
                schema={member}
                root={root}
                name={own}
                value={memberValue}
                onChange={(changed) => onChange({ ...members, [own]: changed })}
                path={memberPath(path, own)}
                errors={errors}
                required
              />
            </div>
            <IconButton
              label={`Remove ${own}`}
              onClick={() =>
                onChange(Object.fromEntries(Object.entries(members).filter(([one]) => one !== own)))
              }
            >
              <Icon name="close" />
            </IconButton>
          </div>
        ))}
        <div className="flex items-end gap-2">
          <TextField label={`New key in ${name}`} value={key} onChange={setKey} />
          <Button size="small" disabled={key === '' || Object.hasOwn(members, key)} onClick={add}>
            Add
          </Button>
        </div>
      </div>
    </fieldset>
  )
}
