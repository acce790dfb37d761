import type { ComponentType } from 'react'
import type { FieldErrors } from './field-errors.ts'
import type { JsonSchema } from './json-schema.ts'

export interface FieldProps {
  readonly schema: JsonSchema
  /** The document that references point into. */
  readonly root: JsonSchema
  readonly value: unknown
  /** `undefined` takes the value away. */
  readonly onChange: (value: unknown) => void
  readonly path: string
  readonly errors: FieldErrors
  /** How it is called; the whole value has no name. */
  readonly name?: string
  readonly required?: boolean
}

/** What the field of one kind gets. */
export interface KindProps extends FieldProps {
  /** The field of any kind, for what is inside. */
  readonly Field: ComponentType<FieldProps>
}
