import {
  kindOf,
  resolveSchema,
  noteOf,
  withoutNull,
  isObject,
  propertiesOf,
  requiredOf,
  branchesOf,
  typesOf,
} from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Select } from '../ui/controls/select.tsx'
import { FieldNote, TextField } from '../ui/controls/text-field.tsx'
import { initialValue } from './initial-value.ts'
import { memberPath } from './field-errors.ts'
import type { FieldErrors } from './field-errors.ts'
import { Button, CloseButton, IconButton } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { EXAMPLES } from './validate-value.ts'

interface FieldProps {
  readonly schema: JsonSchema
  /** The schema document, for references. */
  readonly root: JsonSchema
  readonly value: unknown
  /** `undefined` removes the value. */
  readonly onChange: (value: unknown) => void
  readonly path: string
  readonly errors: FieldErrors
  /** Undefined for the whole value. */
  readonly name?: string
  readonly required?: boolean
  /** Shows the members of an object side by side where there is room. */
  readonly columns?: boolean
}

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
export function SchemaField(props: FieldProps): ReactNode {
  const schema = resolveSchema(props.schema, props.root)
  const Kind = FIELDS[kindOf(schema)]
  return <Kind {...props} schema={schema} />
}

/** A field for an enum, boolean or const. */
function ChoiceField(props: FieldProps) {
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

function choicesOf(schema: JsonSchema): readonly unknown[] {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : [true, false]
}

/** A field for a nullable value. */
function NullableField(props: FieldProps) {
  const { schema, root, value, onChange, name } = props
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
      {value !== null && <SchemaField {...props} schema={inner} />}
    </div>
  )
}

/** A field for any JSON value. */
function JsonField({ schema, value, onChange, path, errors, name = 'Value', required }: FieldProps) {
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
  return (
    <TextField
      label={`${noteOf(schema, 'title') ?? name} (JSON)`}
      value={text}
      required={required ?? false}
      rows={Math.min(8, text.split('\n').length + 1)}
      hint={noteOf(schema, 'description')}
      error={problem ?? errors.get(path)}
      onChange={typed}
    />
  )
}

/** A field for an object with known properties. */
function ObjectField(props: FieldProps) {
  const { schema, root, value, onChange, path, errors, name, columns } = props
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
    <SchemaField
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

/** A field for an array. */
function ArrayField(props: FieldProps) {
  const { schema, root, value, onChange, path, errors, name = 'Values', required } = props
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
              <SchemaField
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

/** A field for an object with arbitrary keys. */
function RecordField(props: FieldProps) {
  const { schema, root, value, onChange, path, errors, name = 'Values' } = props
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
              <SchemaField
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

/** A field for a string. An empty optional value is removed. */
function StringField({ schema, value, onChange, path, errors, name = 'Value', required }: FieldProps) {
  const format = noteOf(schema, 'format')
  return (
    <TextField
      label={noteOf(schema, 'title') ?? name}
      value={typeof value === 'string' ? value : ''}
      required={required ?? false}
      hint={noteOf(schema, 'description')}
      error={errors.get(path)}
      placeholder={EXAMPLES[format ?? ''] ?? ''}
      onChange={(text) => onChange(text === '' && !required ? undefined : text)}
    />
  )
}

/** A field for a number, which keeps what is typed: decimals, exponents and signs. Other text is an error when sent. */
function NumberField({ schema, value, onChange, path, errors, name = 'Value', required }: FieldProps) {
  const [text, setText] = useState('')
  // a value from outside replaces the text
  const shown =
    numberIn(text) === value ? text : typeof value === 'number' || typeof value === 'string' ? `${value}` : ''
  const typed = (next: string) => {
    setText(next)
    onChange(numberIn(next))
  }
  return (
    <TextField
      label={noteOf(schema, 'title') ?? name}
      value={shown}
      required={required ?? false}
      hint={noteOf(schema, 'description') ?? boundsOf(schema)}
      error={errors.get(path)}
      onChange={typed}
    />
  )
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The number, or the text if it is none; undefined if it is empty. */
function numberIn(text: string): number | string | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  return NUMBER.test(typed) && Number.isFinite(Number(typed)) ? Number(typed) : text
}

function boundsOf({ minimum, maximum }: JsonSchema): string | undefined {
  const parts = [
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`to ${maximum}`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** A field for a union: a select for the branch, then the field of the branch. */
function UnionField(props: FieldProps) {
  const { schema, root, value, onChange, name = 'Value' } = props
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
      <SchemaField key={chosen} {...props} schema={branch} />
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
