import { Button, CloseButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'

import { memberPath } from '../field-errors.ts'
import { initialValue } from '../initial-value.ts'
import { noteOf } from '../json-schema.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { KindProps } from '../field-props.ts'

/** A field for an array. */
export function ArrayField(props: KindProps) {
  const { Field, schema, root, value, onChange, path, errors, name = 'Values', required } = props
  const label = noteOf(schema, 'title') ?? name
  const items = Array.isArray(value) ? (value as unknown[]) : []
  const itemSchema = (schema['items'] ?? {}) as JsonSchema
  const error = errors.get(path)
  const remove = (index: number) => {
    const rest = items.filter((_, at) => at !== index)
    onChange(rest.length === 0 && !required ? undefined : rest)
  }
  return (
    <fieldset className="border-l-2 border-line pl-3">
      <legend className="pb-1 text-sm text-dim">
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </legend>
      <div className="flex flex-col gap-2">
        {items.map((item, index) => (
          <div key={memberPath('', index)} className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <Field
                schema={itemSchema}
                root={root}
                name={`${label} ${index + 1}`}
                value={item}
                onChange={(changed) => onChange(items.map((one, at) => (at === index ? changed : one)))}
                path={memberPath(path, index)}
                errors={errors}
                required
              />
            </div>
            <CloseButton label={`Remove ${label} ${index + 1}`} onClick={() => remove(index)} />
          </div>
        ))}
      </div>
      <div className="pt-1">
        <Button size="small" onClick={() => onChange([...items, initialValue(itemSchema, root)])}>
          <Icon name="plus" /> Add to {label}
        </Button>
      </div>
      {error !== undefined && <p className="pt-1 text-sm text-error">{error}</p>}
    </fieldset>
  )
}
