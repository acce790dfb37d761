import type { ComponentType } from 'react'
import type { FieldErrors } from './field-errors.ts'
import type { JsonSchema } from './json-schema.ts'

export interface FieldProps {
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

/** Props of the field of one kind. */
export interface KindProps extends FieldProps {
  /** The field of any kind, for nested values. */
  readonly Field: ComponentType<FieldProps>
}
