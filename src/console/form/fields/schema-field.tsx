import { ArrayField } from './array-field.tsx'
import { ChoiceField } from './choice-field.tsx'
import { JsonField } from './json-field.tsx'
import { kindOf, resolveSchema } from '../json-schema.ts'
import type { FieldProps } from '../field-props.ts'
import { NullableField } from './nullable-field.tsx'
import { ObjectField } from './object-field.tsx'
import { RecordField } from './record-field.tsx'
import { NumberField, StringField } from './scalar-fields.tsx'
import { UnionField } from './union-field.tsx'

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
