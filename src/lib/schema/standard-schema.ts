/** Standard Schema, version 1 (https://standardschema.dev), the common interface of schema libraries. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1
  /** The name of the library, such as `zod`. */
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  /** Standard JSON Schema, which some libraries implement too. */
  readonly jsonSchema?: StandardJsonSchemaConverter | undefined
  /** Only for type inference: not set at run time. */
  readonly types?: StandardTypes<Input, Output> | undefined
}

export interface StandardTypes<Input, Output> {
  readonly input: Input
  readonly output: Output
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The conversion of Standard JSON Schema, version 1. Both functions may throw for types they can't represent. */
export interface StandardJsonSchemaConverter {
  readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>
  readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>
}

export interface StandardJsonSchemaOptions {
  readonly target: string
  readonly libraryOptions?: Record<string, unknown> | undefined
}

/** Whether `value` implements Standard Schema. It may be a function: ArkType's types are callable. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const props = (value as Partial<StandardSchema>)['~standard']
  return props?.version === 1 && typeof props.validate === 'function'
}
